import { matches, type TextCriterion } from './criteria';
import { describeStudio, type Studio, type Tag } from './library';
import type { Quirks } from './quirks';
import { fitsSearch, pageOf } from './search';

/** The parts of the server that the resolvers of studios and tags use. */
export interface NamesState {
  readonly quirks: Quirks;
  readonly status: 'SETUP' | 'NEEDS_MIGRATION' | 'OK';
  studios: readonly Studio[];
  tags: readonly Tag[];
}

/** An item of which the server knows little more than the names. */
interface Named {
  id: string;
  name: string;
  aliases?: readonly string[];
}

interface Filter {
  q?: string | null;
  page?: number | null;
  per_page?: number | null;
  sort?: string | null;
}

interface Criteria {
  name?: TextCriterion | null;
}

/** Returns the resolvers that find studios and tags. */
export function nameResolvers(server: NamesState) {
  const { quirks } = server;
  const open = () => {
    if (server.status !== 'OK') throw new Error(quirks.noDatabase);
  };
  const find = <Item extends Named>(
    items: readonly Item[],
    filter: Filter | undefined,
    criteria: Criteria | undefined,
  ) => {
    open();
    const { q, sort } = filter ?? {};
    if (sort && sort !== 'name') throw new Error(`the fake server cannot sort names by ${sort}`);
    const { name: wanted } = criteria ?? {};
    const found = items
      .filter(({ name, aliases = [] }) => fitsSearch([name, ...aliases], q ?? '', quirks))
      .filter(({ name }) => !wanted || matches(name, wanted))
      .sort((one, other) => one.name.localeCompare(other.name, 'en'));
    return { count: found.length, shown: pageOf(found, filter ?? {}) };
  };
  const byId = <Item extends Named>(items: readonly Item[], wanted: string) => {
    open();
    return items.find(({ id }) => id === wanted);
  };
  const studio = (one: Studio, origin: string): object => {
    const parent = server.studios.find(({ id }) => id === one.parent);
    return {
      ...describeStudio(one, origin, quirks),
      aliases: one.aliases ?? [],
      parent_studio: parent ? { name: parent.name } : null,
    };
  };
  const tag = ({ id, name, aliases = [] }: Tag) => ({ id, name, aliases });

  return {
    findStudios(
      { filter, studio_filter }: { filter?: Filter; studio_filter?: Criteria },
      { origin }: { origin: string },
    ) {
      const { count, shown } = find(server.studios, filter, studio_filter);
      return { count, studios: shown.map((one) => studio(one, origin)) };
    },
    findTags({ filter, tag_filter }: { filter?: Filter; tag_filter?: Criteria }) {
      const { count, shown } = find(server.tags, filter, tag_filter);
      return { count, tags: shown.map(tag) };
    },
    findStudio({ id }: { id: string }, { origin }: { origin: string }) {
      const found = byId(server.studios, id);
      return found ? studio(found, origin) : null;
    },
    findTag({ id }: { id: string }) {
      const found = byId(server.tags, id);
      return found ? tag(found) : null;
    },
  };
}
