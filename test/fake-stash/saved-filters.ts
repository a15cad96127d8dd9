import type { Quirks } from './quirks';
import type { Shelf } from './shelf';

/** A filter that somebody has saved on a list page. */
export interface SavedFilter {
  /** What the page lists, such as `SCENES`; `GROUPS` are `MOVIES` before v0.27. */
  mode: string;
  name: string;
  find_filter?: { q?: string; sort?: string; direction?: 'ASC' | 'DESC'; per_page?: number };
  /** The criteria by name, as the pages save them since v0.23: `{ organized: { modifier: 'EQUALS', value: 'true' } }`. */
  object_filter?: Readonly<Record<string, object>>;
  /** The text in which the pages saved it before v0.23. By default, it is made of the other two. */
  filter?: string;
}

/** The parts of the server that the resolver of saved filters uses. */
export interface FiltersState {
  readonly quirks: Quirks;
  readonly status: 'SETUP' | 'NEEDS_MIGRATION' | 'OK';
  readonly filters: Shelf<SavedFilter>;
}

/** Returns the resolver that finds saved filters. */
export function savedFilterResolvers(server: FiltersState) {
  const { minor, noDatabase } = server.quirks;
  const modeOf = (mode: string) => (mode === 'GROUPS' && minor < 27 ? 'MOVIES' : mode);
  const isGroups = (mode: string) => mode === 'GROUPS' || mode === 'MOVIES';
  return {
    findSavedFilters({ mode }: { mode?: string | null }) {
      if (server.status !== 'OK') throw new Error(noDatabase);
      const found = server.filters.all.filter(
        (each) => !mode || each.mode === mode || (isGroups(mode) && isGroups(each.mode)),
      );
      if (mode && minor >= 23) found.sort((one, other) => (one.name < other.name ? -1 : 1));
      return found.map((each) => ({
        id: each.id,
        mode: modeOf(each.mode),
        name: each.name,
        filter: minor < 23 ? (each.filter ?? textOf(each)) : '',
        find_filter: each.find_filter ?? null,
        object_filter: each.object_filter ?? null,
        ui_options: null,
      }));
    },
  };
}

/** Returns what the pages before v0.23 saved: the parameters of their address, with each criterion as JSON. */
function textOf({ find_filter = {}, object_filter = {} }: SavedFilter): string {
  const { q = '', sort, direction, per_page = 40 } = find_filter;
  return JSON.stringify({
    perPage: per_page,
    sortby: sort,
    sortdir: direction === 'DESC' ? 'desc' : undefined,
    disp: 0,
    q,
    c: Object.entries(object_filter).map(([type, given]) => JSON.stringify({ type, ...given })),
  });
}
