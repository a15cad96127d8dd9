import type { Call } from '../../call';
import { allKinds, type Kind } from '../../contract/kinds';
import { StashError } from '../../errors';
import { arrayOf, isRecord, isString, parsed } from '../../guards';
import type { Server } from '../../server';
import { listedNames } from '../items';
import { isSelectable, shownText } from '../library';
import { filterInFields, filterInJson, type PageFilter } from './page-filter';

/**
 * Returns the filters that somebody has saved on the list page of a kind. `read` throws BAD_INPUT for a criterion that it cannot read.
 * @throws {StashError} UNSUPPORTED if the server keeps no filters; as `Server.request`.
 */
async function savedFilters(
  server: Server,
  kind: Kind,
  call: Call,
): Promise<{ id: string; name: string; read: () => PageFilter }[]> {
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      const operation = 'findSavedFilters';
      if (!schema.has('Query', operation)) throw schema.lacks(operation);
      const { list } = listedNames(schema, kind);
      const fields = schema.has('SavedFilter', 'object_filter')
        ? 'find_filter { q sort direction } object_filter'
        : 'filter';
      // Since v0.21, which brought `excludes`, the pages leave out that a date is downwards; before, that it is upwards.
      const usual = schema.has('MultiCriterionInput', 'excludes') ? undefined : 'asc';
      return {
        rootField: operation,
        document: `query ($mode: FilterMode!) { findSavedFilters(mode: $mode) { id name ${fields} } }`,
        variables: { mode: list.toUpperCase() },
        read: parsed(arrayOf(isRecord), (filters) =>
          filters.map(({ id, name, filter, find_filter, object_filter }) => ({
            id: String(id),
            name: String(name),
            read: () =>
              isString(filter) ? filterInJson(filter, usual) : filterInFields(find_filter, object_filter),
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
  kind: Kind,
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
  const wanted = allKinds.find((one) => one === kind);
  if (!wanted) {
    throw new StashError('BAD_INPUT.unknownChoice', { details: { choice: String(kind).slice(0, 40) } });
  }
  const filters = await savedFilters(server, wanted, call);
  return {
    filters: filters
      .map(({ name }) => name)
      .filter(isSelectable)
      .sort((one, other) => one.localeCompare(other))
      .map((name) => ({ name, label: shownText(server, name) })),
  };
}
