import { isDeepStrictEqual } from 'node:util';
import { type UpdateField, updateFields, type UpdateKind } from '../../contract/update';
import { StashError } from '../../errors';
import { isRecord, isString } from '../../guards';
import type { Requirements, Schema } from '../../server';
import { type AnyKind, dateIn, isSameSet, kinds, type RawItem } from '../library';
import { type NamingWish, quoted, type Scalar, type Wish } from './wishes';

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
  /**
   * Returns the values to send for an item, each in a mutation of its own; none if it has what is wanted.
   * @throws {StashError} UNSUPPORTED if the release cannot hold that.
   */
  readonly change: (item: RawItem, wish: Wish) => readonly unknown[];
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
export function termsOf(schema: Schema, kind: UpdateKind, wishes: readonly NamingWish[]): Terms {
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
    ({ name, input = name, isList = false }) =>
      schema.has(type, name) &&
      // That for one item takes only the whole list, and with it what others have added or removed meanwhile.
      (schema.has(bulkType, input) || (!isList && schema.has(`${type}UpdateInput`, input))),
  );
  if (!found) throw lacking(schema, kind, field);
  const { name, selection = name, input = name, change } = found;
  if (schema.has(bulkType, input)) return { selection, input, isBulk: true, change };
  // The mutation for one gallery ignores null as a title (all releases).
  const emptied: typeof change = (item, wish) => change(item, wish).map((one) => one ?? '');
  return { selection, input, isBulk: false, change: emptied };
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
  /** Whether it has several values. */
  isList?: true;
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
          isList: true,
          change: (item, wish) => listChange('ids', listIn(item[field]).map(idOf), wish, isSameSet),
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
          isList: true,
          // The first one is the main one, so their order matters.
          change: ({ urls }, wish) => listChange('values', listIn(urls).map(String), wish, isDeepStrictEqual),
        },
        {
          name: 'url',
          change: ({ url }, wish) => {
            const now = isString(url) && url !== '' ? [url] : [];
            const after = listAfter(now, wish);
            if (after.length > 1) throw schema.lacks(`${kind}.urls`, SEVERAL_URLS[kind]);
            return now[0] === after[0] ? [] : [after[0] ?? null];
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
      return now(item) === wanted ? [] : [wanted];
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
 * Returns the changes of a list as the mutation for several items takes them, the same for all items where possible. The server
 * itself adds and removes, because others may change the list meanwhile. Both take two mutations. The first one adds: if the second
 * one fails, nothing has been lost, and a flow that finds items by the tag that it removes finds them again.
 */
function listChange(
  name: 'ids' | 'values',
  now: readonly string[],
  { set, add, remove }: Wish,
  isSame: (now: readonly string[], wanted: readonly string[]) => boolean,
): readonly object[] {
  if (set !== undefined) {
    const wanted = Array.isArray(set) ? (set as string[]) : [];
    return isSame(now, wanted) ? [] : [{ [name]: wanted, mode: 'SET' }];
  }
  const isLacking = add.some((one) => !now.includes(one));
  const isThere = remove.some((one) => now.includes(one));
  return [
    ...(isLacking ? [{ [name]: add, mode: 'ADD' }] : []),
    ...(isThere ? [{ [name]: remove, mode: 'REMOVE' }] : []),
  ];
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function idOf(item: unknown): string {
  return isRecord(item) ? String(item['id']) : '';
}
