import type { Call } from '../../call';
import { StashError } from '../../errors';
import { isRecord, isString, nullable, parsed } from '../../guards';
import type { Schema, Server } from '../../server';
import { itemsByName, itemsNamed, type NamedItems, normalized } from '../items';
import { storedFields, type StoredPerformer } from './changes';

export interface PerformerQuery {
  id?: string;
  /** A name or an alias; empty only with an id. */
  name: string;
  disambiguation?: string;
}

export interface FoundPerformers {
  /** The root field of the last request. */
  operation: string;
  /** The schema by which they were found. */
  schema: Schema;
  by: 'id' | 'name' | 'alias';
  performers: StoredPerformer[];
}

/**
 * Finds the performers of a server that fit: the one with the id, or else those with the name, or else those with the alias. Case
 * and white space do not matter. A disambiguation that is given has to be theirs, if the release has one (since v0.19.0).
 * @throws {StashError} BAD_INPUT if no performer has the id; UNSUPPORTED if the server offers no performers; as `Server.request`.
 */
export async function findStored(
  server: Server,
  query: PerformerQuery,
  call: Call,
): Promise<FoundPerformers> {
  if (query.id !== undefined) return await findPerformerById(server, query.id, call);
  const list = (field: 'name' | 'aliases') =>
    itemsByName(server, 'performer', field, [query.name], storedFields, call);
  const found = fittingPerformers(await list('name'), query);
  if (found.performers.length > 0) return found;
  return fittingPerformers(await list('aliases'), query);
}

async function findPerformerById(server: Server, id: string, call: Call): Promise<FoundPerformers> {
  const operation = 'findPerformer';
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      if (!schema.has('Query', operation)) throw schema.lacks(operation);
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

function fittingPerformers(
  { schema, operation, items }: NamedItems,
  { name, disambiguation }: PerformerQuery,
): FoundPerformers {
  const isGiven = disambiguation !== undefined && schema.has('Performer', 'disambiguation');
  const all = items.filter(
    (one) => !isGiven || normalized(storedText(one, 'disambiguation')) === normalized(disambiguation),
  );
  const found = itemsNamed(all, name);
  return { operation, schema, by: found.by, performers: found.items };
}

/** Returns the text of a field; empty where the server has null. */
export function storedText(performer: StoredPerformer, field: string): string {
  const value = performer[field];
  return isString(value) ? value : '';
}
