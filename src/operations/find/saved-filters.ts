import type { Call } from '../../call';
import { StashError } from '../../errors';
import { arrayOf, isRecord, isString, parsed } from '../../guards';
import type { Schema, Server } from '../../server';
import { type AnyKind, isOfferable, kinds, shownText } from '../library';
import { filterInFields, filterInJson, type PageFilter } from './page-filter';

/** A kind of items as flow files and messages name it. */
export type FoundKind = (typeof kinds)[AnyKind]['item'];

/** The kinds in the order of the dialog. */
export const foundKinds = [
  'scene',
  'image',
  'gallery',
  'performer',
  'studio',
  'tag',
  'marker',
  'group',
] as const satisfies readonly FoundKind[];

/** Returns the lists that have the items of a kind: groups had another name before v0.27. */
export function listsOf(kind: FoundKind): AnyKind[] {
  return (Object.keys(kinds) as AnyKind[]).filter((list) => kinds[list].item === kind);
}

/** Returns the list with the items of a kind on a server. @throws {StashError} UNSUPPORTED if it has none. */
export function listOnServer(schema: Schema, kind: FoundKind): AnyKind {
  const [newest = 'scenes', ...former] = listsOf(kind);
  const list = [newest, ...former].find((one) => schema.has('Query', kinds[one].all));
  if (!list) throw schema.lacks(kinds[newest].all);
  return list;
}

/** A filter that somebody saved on a list page of Stash. */
interface SavedFilter {
  id: string;
  name: string;
  /** Reads what it shows. @throws {StashError} BAD_INPUT if a criterion cannot be read. */
  read: () => PageFilter;
}

/**
 * Returns the filters that are saved for a kind.
 * @throws {StashError} UNSUPPORTED if the server keeps no filters; as `Server.request`.
 */
async function savedFilters(server: Server, kind: FoundKind, call: Call): Promise<SavedFilter[]> {
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      const operation = 'findSavedFilters';
      if (!schema.has('Query', operation)) throw schema.lacks(operation);
      const fields = schema.has('SavedFilter', 'object_filter')
        ? 'find_filter { q sort direction } object_filter'
        : 'filter';
      return {
        rootField: operation,
        document: `query ($mode: FilterMode!) { findSavedFilters(mode: $mode) { id name ${fields} } }`,
        variables: { mode: listOnServer(schema, kind).toUpperCase() },
        read: parsed(arrayOf(isRecord), (filters) =>
          filters.map(({ id, name, filter, find_filter, object_filter }) => ({
            id: String(id),
            name: String(name),
            read: () =>
              isString(filter) ? filterInJson(filter) : filterInFields(find_filter, object_filter),
          })),
        ),
      };
    },
  });
}

/**
 * Returns what a saved filter shows.
 * @param wanted its name, else its ID: a name may consist of digits.
 * @throws {StashError} BAD_INPUT if none or several have this name, or if a criterion cannot be read; as `savedFilters`.
 */
export async function savedFilter(
  server: Server,
  kind: FoundKind,
  wanted: string,
  call: Call,
): Promise<PageFilter> {
  const all = await savedFilters(server, kind, call);
  const byId = all.filter(({ id }) => id === wanted);
  const byName = all.filter(({ name }) => name.trim() === wanted);
  const [filter, ...others] = byName.length > 0 ? byName : byId;
  const name = wanted.slice(0, 60);
  if (!filter) throw new StashError('BAD_INPUT.noFilter', { details: { name } });
  if (others.length > 0) {
    const ids = byName.map(({ id }) => id).slice(0, 5);
    throw new StashError('BAD_INPUT.severalFilters', { details: { name, ids: ids.join(', ') } });
  }
  return filter.read();
}

/**
 * Answers a question of a dialog, which may be any JSON: `{ kind }`.
 * @returns the names of the filters that are saved for the kind, sorted.
 * @throws {StashError} as `savedFilters`; BAD_INPUT for an unknown kind.
 */
export async function filterNames(
  server: Server,
  question: unknown,
  call: Call,
): Promise<{ filters: { name: string; label: string }[] }> {
  const { kind } = isRecord(question) ? question : ({} as Record<string, unknown>);
  const known = foundKinds.find((one) => one === kind);
  if (!known) {
    throw new StashError('BAD_INPUT.unknownChoice', { details: { choice: String(kind).slice(0, 40) } });
  }
  const filters = await savedFilters(server, known, call);
  return {
    filters: filters
      .map(({ name }) => name)
      .filter(isOfferable)
      .sort((one, other) => one.localeCompare(other))
      .map((name) => ({ name, label: shownText(server, name) })),
  };
}
