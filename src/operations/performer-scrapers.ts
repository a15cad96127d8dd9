import type { Call } from '../call';
import { arrayOf, isRecord, isString, parsed } from '../guards';
import type { Operation, Server } from '../server';
import { BUILTIN_SCRAPER } from './performer-list';

/** One of the server's scrapers that can look a name up. */
export interface PerformerScraper {
  id: string;
  name: string;
  /** Whether it gives attributes, too, and not only names. */
  scrapes: boolean;
}

/** More than anybody has; what comes after them is left out. */
const MOST_SCRAPERS = 2000;
const LONGEST_NAME = 100;

const FIELDS = '{ id name performer { supported_scrapes } }';

/** The scrapers that the performer nodes can use in the place of the built-in site, by name. */
export async function performerScrapers(server: Server, call: Call): Promise<PerformerScraper[]> {
  return server.request({
    kind: 'query',
    call,
    build: (schema) => {
      if (schema.has('Query', 'listScrapers')) {
        return {
          rootField: 'listScrapers',
          document: `{ listScrapers(types: [PERFORMER]) ${FIELDS} }`,
          read: readScrapers,
        };
      }
      if (schema.has('Query', 'listPerformerScrapers')) {
        return {
          rootField: 'listPerformerScrapers',
          document: `{ listPerformerScrapers ${FIELDS} }`,
          read: readScrapers,
        };
      }
      return NO_CHOICE;
    },
  });
}

/** A server that has no list of scrapers has nothing but the built-in site. */
const NO_CHOICE: Operation<PerformerScraper[]> = {
  rootField: 'version',
  document: '{ version { version } }',
  read: () => [],
};

const readScrapers = parsed(arrayOf(isRecord), (scrapers) =>
  scrapers
    .flatMap(({ id, name, performer }) => {
      const ways: unknown = isRecord(performer) ? performer['supported_scrapes'] : undefined;
      if (!isString(id) || !isString(name) || id === BUILTIN_SCRAPER) return [];
      if (!Array.isArray(ways) || !ways.includes('NAME')) return [];
      return [
        { id, name: name.slice(0, LONGEST_NAME), scrapes: ways.includes('FRAGMENT') || ways.includes('URL') },
      ];
    })
    .slice(0, MOST_SCRAPERS)
    .sort((one, other) => one.name.localeCompare(other.name)),
);
