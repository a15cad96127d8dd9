import { type UpdateField, updateFields, type UpdateKind } from '../../contract/update';
import { StashError } from '../../errors';
import { isRecord, isString } from '../../guards';
import type { Requirements, Schema } from '../../server';
import { type AnyKind, dateIn, isSameSet, kinds, type RawItem } from '../library';
import { quoted, type Scalar, type Wish } from './wishes';

/** The names of the kinds' lists. */
export const listOfKind = {
  scene: 'scenes',
  image: 'images',
  gallery: 'galleries',
  performer: 'performers',
} as const satisfies Record<UpdateKind, AnyKind>;

/** A field in the terms of a release. */
export interface ReleaseField {
  readonly selection: string;
  /** Its name in inputs. */
  readonly input: string;
  /** Whether the mutation for several items has it. */
  readonly isBulk: boolean;
  /** Compares an item with what is wanted. @throws {StashError} UNSUPPORTED if the release cannot hold that. */
  readonly change: (item: RawItem, wish: Wish) => FieldChange | undefined;
}

/** What to send for an item; undefined for one that has it. */
interface FieldChange {
  /** To the mutation for one item. */
  one: unknown;
  /** To that for several, the same for all of them where possible. */
  bulk: unknown;
}

/** A counter in the terms of a release. */
export interface Counter {
  /** Its name in the type. */
  readonly name: string;
  /** The mutation that adds one, and its selection. */
  readonly mutation: string;
  readonly selection: string;
}

/** The fields that not every release has, by kind and field, such as `scene.playCount`. */
export const updateRequirements: Requirements = {
  'scene.playCount': { anyOf: [['Scene', 'play_count']], since: 'v0.18.0' },
  'image.date': { anyOf: [['Image', 'date']], since: 'v0.19.0' },
  'image.urls': { anyOf: ['url', 'urls'].map((name) => ['Image', name] as const), since: 'v0.19.0' },
  'image.details': { anyOf: [['Image', 'details']], since: 'v0.24.0' },
};

/** The first releases in which items have several addresses. */
const SEVERAL_URLS = { scene: 'v0.22.0', image: 'v0.23.0', gallery: 'v0.23.0', performer: 'v0.27.0' };

/** The mutations that add one to a counter, newest first. */
const counters: Readonly<Record<string, readonly string[]>> = {
  'scene.playCount': ['sceneAddPlay', 'sceneIncrementPlayCount'],
  'scene.oCounter': ['sceneAddO', 'sceneIncrementO'],
  'image.oCounter': ['imageIncrementO'],
};

/** What is wanted, in the terms of a release. */
export interface Terms {
  /** The selection of an item. */
  selection: string;
  fields: ReadonlyMap<UpdateField, ReleaseField>;
  counters: ReadonlyMap<UpdateField, Counter>;
}

/** @throws {StashError} UNSUPPORTED if the release lacks a field; BAD_INPUT for a date that it would not take. */
export function termsOf(schema: Schema, kind: UpdateKind, wishes: readonly Wish[]): Terms {
  const fields = new Map<UpdateField, ReleaseField>();
  const found = new Map<UpdateField, Counter>();
  for (const { field, set, count } of wishes) {
    if (field === 'date' && isString(set) && dateIn(set, schema) === undefined) {
      throw new StashError('BAD_INPUT.notDate', { details: { value: quoted(set) } });
    }
    if (count > 0) found.set(field, counterOf(schema, kind, field));
    else fields.set(field, fieldOf(schema, kind, field));
  }
  const selections = [...fields.values()].map(({ selection }) => selection);
  const names = [...found.values()].map(({ name }) => name);
  return { selection: ['id', ...selections, ...names].join(' '), fields, counters: found };
}

function counterOf(schema: Schema, kind: UpdateKind, field: UpdateField): Counter {
  const { type } = kinds[listOfKind[kind]];
  const name = field === 'playCount' ? 'play_count' : 'o_counter';
  const mutation = counters[`${kind}.${field}`]?.find((one) => schema.has('Mutation', one));
  if (mutation === undefined || !schema.has(type, name)) throw lacking(schema, kind, field);
  // These keep a history.
  return { name, mutation, selection: mutation.startsWith('sceneAdd') ? '{ count }' : '' };
}

function fieldOf(schema: Schema, kind: UpdateKind, field: UpdateField): ReleaseField {
  const { type } = kinds[listOfKind[kind]];
  const bulkType = `Bulk${type}UpdateInput`;
  const found = formsOf(field, schema, kind).find(
    ({ name, input = name }) =>
      schema.has(type, name) && (schema.has(bulkType, input) || schema.has(`${type}UpdateInput`, input)),
  );
  if (!found) throw lacking(schema, kind, field);
  const { name, selection = name, input = name, change } = found;
  return { selection, input, isBulk: schema.has(bulkType, input), change };
}

function lacking(schema: Schema, kind: UpdateKind, field: UpdateField): StashError {
  const name = `${kind}.${field}`;
  const having: readonly UpdateKind[] = updateFields[field].kinds;
  return having.includes(kind) ? schema.lacks(name, updateRequirements[name]?.since) : schema.lacksName(name);
}

/** One way in which releases have a field. */
interface Form {
  /** Its name in the type. */
  name: string;
  /** Both are the name by default. */
  selection?: string;
  input?: string;
  change: ReleaseField['change'];
}

/** Returns the ways in which releases have a field, newest first. */
function formsOf(field: UpdateField, schema: Schema, kind: UpdateKind): readonly Form[] {
  switch (field) {
    case 'tags':
    case 'performers':
      return [
        {
          name: field,
          selection: `${field} { id }`,
          input: field === 'tags' ? 'tag_ids' : 'performer_ids',
          change: (item, wish) => {
            const now = listIn(item[field]).map(idOf);
            const after = listAfter(now, wish);
            return isSameSet(now, after) ? undefined : { one: after, bulk: bulkList('ids', wish, after) };
          },
        },
      ];
    case 'studio':
      return [
        {
          ...value(field, ({ studio }) => (isRecord(studio) ? idOf(studio) : null)),
          selection: 'studio { id }',
          input: 'studio_id',
        },
      ];
    case 'rating':
      return [
        value('rating100'),
        // 1 to 5 stars, before v0.18.
        value('rating', valueOf('rating'), (rating) =>
          rating === null ? null : Math.round(Number(rating) / 20),
        ),
      ];
    case 'date':
      return [
        value(field, valueOf(field), (date) =>
          date === null ? null : (dateIn(String(date), schema) ?? null),
        ),
      ];
    case 'urls':
      return [
        {
          name: 'urls',
          change: ({ urls }, wish) => {
            const now = listIn(urls).map(String);
            const after = listAfter(now, wish);
            // The first one is the main one, so their order matters.
            const isSame = now.join('\n') === after.join('\n');
            return isSame ? undefined : { one: after, bulk: bulkList('values', wish, after) };
          },
        },
        {
          name: 'url',
          change: ({ url }, wish) => {
            const now = isString(url) && url !== '' ? [url] : [];
            const after = listAfter(now, wish);
            if (after.length > 1) throw schema.lacks(`${kind}.urls`, SEVERAL_URLS[kind]);
            return now[0] === after[0] ? undefined : { one: after[0] ?? null, bulk: after[0] ?? null };
          },
        },
      ];
    default:
      return [value(field)];
  }
}

/** Returns the form of a field with one value. */
function value(name: string, now = valueOf(name), inTerms = (wanted: Scalar) => wanted): Form {
  return {
    name,
    change: (item, { set }) => {
      const wanted = inTerms(set as Scalar);
      // The mutation for one gallery ignores null as a title (all releases).
      return now(item) === wanted
        ? undefined
        : { one: name === 'title' ? (wanted ?? '') : wanted, bulk: wanted };
    },
  };
}

/** Returns the reader of a field with one value; an empty text is none. */
function valueOf(name: string): (item: RawItem) => unknown {
  return (item) => (item[name] === '' ? null : item[name]);
}

function listAfter(now: readonly string[], { set, add, remove }: Wish): readonly string[] {
  if (Array.isArray(set)) return set as string[];
  const kept = now.filter((one) => !remove.includes(one));
  return [...kept, ...add.filter((one) => !kept.includes(one))];
}

/**
 * Returns a list as the mutation for several items takes it. The server adds or removes, because others may change the list
 * meanwhile. It cannot do both: then it gets the whole list, because after the first of two mutations an item would be neither as it
 * was nor as it is to be.
 */
function bulkList(name: 'ids' | 'values', { set, add, remove }: Wish, after: readonly string[]): object {
  if (set === undefined && remove.length === 0) return { [name]: add, mode: 'ADD' };
  if (set === undefined && add.length === 0) return { [name]: remove, mode: 'REMOVE' };
  return { [name]: after, mode: 'SET' };
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function idOf(item: unknown): string {
  return isRecord(item) ? String(item['id']) : '';
}
