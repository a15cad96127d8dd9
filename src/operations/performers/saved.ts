import type { Call } from '../../call';
import { StashError } from '../../errors';
import { arrayOf, hasString, isRecord, isString, nullable, parsed } from '../../guards';
import { escaped } from '../../paths';
import type { Operation, Schema, Server } from '../../server';
import { storedAliases, storedFields, type StoredPerformer } from './changes';
import { BETWEEN_ALIASES, normalized, tidy } from './names';

/** Which performer to find. */
export interface Sought {
  id?: string;
  /** A name or an alias; empty only with an id. */
  name: string;
  disambiguation?: string;
}

/** The performers of a server that fit. */
export interface FoundPerformers {
  /** The root field of the last request. */
  operation: string;
  /** The schema by which they were found. */
  schema: Schema;
  /** Why they fit. */
  by: 'id' | 'name' | 'alias';
  performers: StoredPerformer[];
}

/** More performers than have the same name or alias. Further ones are left out. */
const MOST_FOUND = 100;

/**
 * Finds the performers of a server that fit: the one with the id, or else those with the name, or else those with the alias. Case
 * and white space do not matter. A disambiguation that is given has to be theirs, if the release has one (since v0.19.0).
 * @throws {StashError} BAD_INPUT if no performer has the id; UNSUPPORTED if the server offers no performers; as `Server.request`.
 */
export async function findStored(server: Server, sought: Sought, call: Call): Promise<FoundPerformers> {
  if (sought.id !== undefined) return await findPerformerById(server, sought.id, call);
  const named = await findBy(server, 'name', sought, call);
  const found = fittingPerformers(named, sought);
  if (found.performers.length > 0) return found;
  return fittingPerformers(await findBy(server, 'aliases', sought, call), sought);
}

async function findPerformerById(server: Server, id: string, call: Call): Promise<FoundPerformers> {
  const operation = 'findPerformer';
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      needPerformers(schema, operation);
      return {
        rootField: operation,
        document: `query ($id: ID!) { findPerformer(id: $id) { ${storedFields(schema)} } }`,
        variables: { id },
        read: parsed(nullable(isRecord), (performer) => {
          if (!performer) throw new StashError('BAD_INPUT.noPerformer', { details: { id } });
          return { operation, schema, by: 'id', performers: [performer] };
        }),
      };
    },
  });
}

type Listed = Omit<FoundPerformers, 'by'>;

/** Lists the performers that may have the name or alias. */
function findBy(server: Server, field: 'name' | 'aliases', { name }: Sought, call: Call): Promise<Listed> {
  return server.request({
    kind: 'query',
    call,
    build: (schema): Operation<Listed> => {
      const operation = 'findPerformers';
      needPerformers(schema, operation);
      const value = field === 'name' ? patternOf(name) : patternOf(name, BETWEEN_ALIASES.source);
      return {
        rootField: operation,
        document: `query ($filter: FindFilterType, $performer_filter: PerformerFilterType) {
          findPerformers(filter: $filter, performer_filter: $performer_filter) { performers { ${storedFields(schema)} } }
        }`,
        variables: {
          filter: { per_page: MOST_FOUND },
          performer_filter: { [field]: { value, modifier: 'MATCHES_REGEX' } },
        },
        read: parsed(
          (found): found is { performers: StoredPerformer[] } =>
            isRecord(found) && PERFORMERS(found['performers']),
          ({ performers }) => ({ operation, schema, performers }),
        ),
      };
    },
  });
}

const PERFORMERS = arrayOf((one: unknown): one is StoredPerformer => hasString('id')(one));

/**
 * Returns a regular expression, as Go reads it, for a name in either form of Unicode. Not a comparison in SQL, which ignores the
 * case of ASCII letters only.
 * @param separator what may stand around the name in a text with several.
 */
function patternOf(name: string, separator?: string): string {
  const [start, end] = separator === undefined ? ['^', '$'] : [`(?:^|${separator})`, `(?:$|${separator})`];
  const forms = [...new Set([tidy(name), tidy(name).normalize('NFD')])];
  const spellings = forms.map((form) => form.split(' ').map(escaped).join(BLANKS));
  return `(?i)${start}\\s*(?:${spellings.join('|')})\\s*${end}`;
}

/** White space in Go, whose \s is ASCII only. */
const BLANKS = '[\\s\\p{Z}]+';

function fittingPerformers(
  { schema, operation, performers }: Listed,
  { name, disambiguation }: Sought,
): FoundPerformers {
  const isGiven = disambiguation !== undefined && schema.has('Performer', 'disambiguation');
  const wanted = normalized(name);
  const all = performers.filter(
    (one) => !isGiven || normalized(storedText(one, 'disambiguation')) === normalized(disambiguation),
  );
  const named = all.filter((one) => normalized(storedText(one, 'name')) === wanted);
  if (named.length > 0) return { operation, schema, by: 'name', performers: named };
  const known = all.filter((one) => storedAliases(one).some((alias) => normalized(alias) === wanted));
  return { operation, schema, by: 'alias', performers: known };
}

/** Returns the text of a field; empty where the server has null. */
export function storedText(performer: StoredPerformer, field: string): string {
  const value = performer[field];
  return isString(value) ? value : '';
}

function needPerformers(schema: Schema, operation: string): void {
  if (!schema.has('Query', operation)) throw schema.lacks(operation);
}
