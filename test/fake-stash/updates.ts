import type { FinderState } from './finder';
import { describeEntry, performersOf, tagsOf } from './items';
import { kinds } from './kinds';
import { type Changes, type Entry, type Kind, type Studio, type Tag, type Text, TEXTS } from './library';
import { listOf } from './people';
import { isRecord } from './variables';

/** The parts of the server that the resolvers of updates use. */
export interface UpdateState extends FinderState {
  studios: readonly Studio[];
  tags: readonly Tag[];
}

type Input = Readonly<Record<string, unknown>>;
type Id = Readonly<{ id: string }>;
type Several = Readonly<{ input: Input & { ids?: readonly string[] | null } }>;
type One = Readonly<{ input: Input & Id }>;
type Named = Readonly<{ input: { name: string } }>;
type Origin = Readonly<{ origin: string }>;

/** A list in the mutations for several items. */
interface ListInput {
  ids?: readonly string[] | null;
  values?: readonly string[] | null;
  mode: 'SET' | 'ADD' | 'REMOVE';
}

/** Returns the resolvers that change fields of items, and those that create tags and studios. */
export function updateResolvers(server: UpdateState) {
  const { quirks, library, people } = server;
  const { minor, ratesTo100 } = quirks;
  const open = () => {
    if (server.status !== 'OK') throw new Error(quirks.noDatabase);
  };

  /** Returns an item. @param error what the server says if it does not have it. */
  function entryOf(kind: Kind, id: string, error: string): Entry {
    open();
    const entry = library.all(kind).find((each) => each.id === id);
    if (!entry) throw new Error(error);
    return entry;
  }

  /** Returns what the server says to a change of an item that it does not have. @param input what is to be changed. */
  function unknown(kind: Kind | 'performer', id: string, input: Input = {}): string {
    if (minor < 17) return `id ${id} does not exist in ${kind === 'gallery' ? 'galleries' : `${kind}s`}`;
    if (kind === 'image') return minor < 22 ? `image not found ${id}` : `image with id ${id} not found`;
    if (kind !== 'performer' && addsToList(input)) return 'FOREIGN KEY constraint failed';
    // The same text for a performer as for a scene.
    const named = kind === 'performer' ? 'scene' : kind;
    if (minor < 21) return `getting ${named} by id ${id}: sql: no rows in result set`;
    return kind === 'performer' ? `performer with id ${id} not found` : 'sql: no rows in result set';
  }

  function trimmed(value: unknown): unknown {
    if (minor < 28) return value;
    if (Array.isArray(value)) return value.map(trimmed);
    return typeof value === 'string' ? value.trim() : value;
  }

  /** Returns what a field of an input changes of an item, except its studio. */
  function changeOf(entry: Entry, { urls = [], texts }: Changes, name: string, given: unknown): Changes {
    const value = trimmed(given);
    switch (name) {
      case 'rating':
        // In the releases that have both, it is in stars.
        return typeof value === 'number' && ratesTo100
          ? { rating: Math.min(Math.max(value * 20, 1), 100) }
          : { rating: value as number | null };
      case 'rating100':
        return { rating: value as number | null };
      case 'organized':
        return value === null ? {} : { organized: value === true };
      case 'studio_id':
        listAfter([], [value ?? []].flat(), server.studios);
        return {};
      case 'tag_ids':
        return { tags: listAfter(tagsOf(entry, server), value, server.tags) };
      case 'performer_ids':
        return { performers: listAfter(performersOf(entry, server), value, people.all) };
      case 'urls':
        return { urls: trimmed(listAfter(urls, given)) as readonly string[] };
      case 'url':
        return { urls: [value ?? []].flat() as string[] };
      default:
        if (!TEXTS.includes(name as Text)) throw new Error(`the fake server cannot change ${name}`);
        return { texts: { ...texts, [name]: value as string | null } };
    }
  }

  /** Changes all of the items, or none. */
  function change(entries: readonly Entry[], input: Input): object[] {
    const planned = entries.map((entry) => {
      let after = library.changes.get(entry) ?? {};
      for (const [name, value] of Object.entries(input)) {
        after = { ...after, ...changeOf(entry, after, name, value) };
      }
      return [entry, after] as const;
    });
    const studio = input['studio_id'] as string | null | undefined;
    for (const [entry, after] of planned) {
      library.changes.set(entry, after);
      if (studio !== undefined) library.studioOf.set(entry, studio);
    }
    return entries.map((entry) => describeEntry(entry, server));
  }

  const bulk = (kind: Kind) => (given: Several) => {
    open();
    const { ids, ...input } = given.input;
    const entries = (ids ?? []).map((id) => entryOf(kind, id, unknown(kind, id, input)));
    return entries.length === 0 ? null : change(entries, input);
  };

  function changePerformer(id: string, input: Input) {
    const before = people.all.find((one) => one.id === id);
    if (!before) throw new Error(unknown('performer', id));
    const fields = Object.entries(input).map(([name, value]) => [
      name,
      isRecord(value) && 'mode' in value
        ? listAfter(listOf(before[name]), value, name === 'tag_ids' ? server.tags : undefined)
        : value,
    ]);
    return people.change(id, Object.fromEntries(fields) as Input);
  }

  function grow(kind: 'scene' | 'image', id: string): number {
    const entry = entryOf(kind, id, `id ${id} does not exist in ${kind}s`);
    const before = library.changes.get(entry);
    const oCounter = (before?.oCounter ?? 0) + 1;
    library.changes.set(entry, { ...before, oCounter });
    return oCounter;
  }

  return {
    sceneUpdate({ input: { id, ...input } }: One) {
      return change([entryOf('scene', id, quirks.updatesUnknown.replace('#', id))], input)[0];
    },
    galleryUpdate({ input: { id, title, ...input } }: One) {
      const entry = entryOf('gallery', id, minor < 22 ? 'not found' : `gallery with id ${id} not found`);
      if (title === '' && minor < 17) throw new Error('title must not be empty');
      return change([entry], typeof title === 'string' ? { ...input, title } : input)[0];
    },
    bulkSceneUpdate: bulk('scene'),
    bulkImageUpdate: bulk('image'),
    bulkGalleryUpdate: bulk('gallery'),
    bulkPerformerUpdate({ input: { ids, ...input } }: Several, { origin }: Origin) {
      open();
      const changed = people.together(() => (ids ?? []).map((id) => changePerformer(id, input)));
      return changed.length === 0
        ? null
        : changed.map((one) => kinds.Performer.describe(one, server, origin));
    },
    tagCreate({ input }: Named, { origin }: Origin) {
      open();
      const name = String(trimmed(input.name));
      const isSame = (text: string) => text.toLowerCase() === name.toLowerCase();
      for (const tag of server.tags) {
        if (isSame(tag.name)) throw new Error(`tag with name '${name}' already exists`);
        if (tag.aliases?.some(isSame)) throw new Error(`name '${name}' is used as alias for '${tag.name}'`);
      }
      const created = { id: nextId(server.tags), name };
      server.tags = [...server.tags, created];
      return kinds.Tag.describe(created, server, origin);
    },
    studioCreate({ input }: Named, { origin }: Origin) {
      open();
      const name = String(trimmed(input.name));
      const isTold = quirks.sameName === 'told';
      const key = (text: string) => (isTold ? text.toLowerCase() : text);
      if (server.studios.some((one) => key(one.name) === key(name))) {
        throw new Error(
          isTold ? `studio with name '${name}' already exists` : 'UNIQUE constraint failed: studios.checksum',
        );
      }
      const created = { id: nextId(server.studios), name, url: null, hasImage: false, sceneCount: 0 };
      server.studios = [...server.studios, created];
      return kinds.Studio.describe(created, server, origin);
    },
    sceneIncrementO: ({ id }: Id) => grow('scene', id),
    sceneAddO: ({ id }: Id) => ({ count: grow('scene', id), history: [] }),
    imageIncrementO: ({ id }: Id) => grow('image', id),
  };
}

/** Whether a change makes an item part of something: the database refuses that for an item that is not there. */
function addsToList(input: Input): boolean {
  const lists = Object.values(input).filter((value): value is Input => isRecord(value) && 'mode' in value);
  return lists.some(({ mode, ids, values }) => mode !== 'REMOVE' && [ids ?? values ?? []].flat().length > 0);
}

/**
 * Returns a list after an input, which may be the whole of it. Ids of known items are a set; other texts are added as they are, once
 * where they are added to others.
 */
function listAfter(before: readonly string[], input: unknown, known?: readonly Id[]): readonly string[] {
  if (input === null) return before;
  const given: ListInput = Array.isArray(input) ? { values: input, mode: 'SET' } : (input as ListInput);
  const list = given.ids ?? given.values ?? [];
  if (given.mode === 'REMOVE') return before.filter((one) => !list.includes(one));
  if (known && !list.every((one) => known.some(({ id }) => id === one))) {
    throw new Error('FOREIGN KEY constraint failed');
  }
  if (given.mode === 'ADD') return [...new Set([...before, ...list])];
  return known ? [...new Set(list)] : list;
}

function nextId(items: readonly Id[]): string {
  return String(Math.max(0, ...items.map(({ id }) => Number(id))) + 1);
}
