import type { Call } from '../../call';
import type { Scraper } from '../../contract/capabilities';
import { arrayOf, isRecord, isString, parsed } from '../../guards';
import { BUILTIN_SCRAPER, type Operation, type Server } from '../../server';
import { isSelectable, shownText } from '../library';

/** More scrapers than anybody has. Further ones are left out. */
const MOST_SCRAPERS = 2000;

const FIELDS = '{ id name performer { supported_scrapes } }';

/**
 * Lists the scrapers that the performer nodes can use instead of the built-in site, sorted by name; empty for a server that
 * has no list of scrapers.
 * @throws {StashError} as `Server.request`.
 */
export async function performerScrapers(server: Server, call: Call): Promise<Scraper[]> {
  return await server.request({
    kind: 'query',
    call,
    build: (schema): Operation<Scraper[]> => {
      const read = scraperReader(server);
      if (schema.has('Query', 'listScrapers')) {
        return {
          rootField: 'listScrapers',
          document: `{ listScrapers(types: [PERFORMER]) ${FIELDS} }`,
          read,
        };
      }
      const rootField = 'listPerformerScrapers';
      if (schema.has('Query', rootField)) return { rootField, document: `{ ${rootField} ${FIELDS} }`, read };
      // An operation must send something.
      return { rootField: 'version', document: '{ version { version } }', read: () => [] };
    },
  });
}

function scraperReader(server: Server): (scrapers: unknown) => Scraper[] {
  return parsed(arrayOf(isRecord), (scrapers) =>
    scrapers
      .flatMap(({ id, name, performer }) => {
        const ways: unknown = isRecord(performer) ? performer['supported_scrapes'] : undefined;
        if (!isString(id) || !isSelectable(id) || !isString(name) || id === BUILTIN_SCRAPER) return [];
        if (!Array.isArray(ways) || !ways.includes('NAME')) return [];
        const scrapes = ways.includes('FRAGMENT') || ways.includes('URL');
        return [{ id, name: shownText(server, name), scrapes }];
      })
      .slice(0, MOST_SCRAPERS)
      .sort((one, other) => one.name.localeCompare(other.name)),
  );
}
