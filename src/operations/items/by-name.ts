import type { Call } from '../../call';
import type { NamedKind } from '../../contract/kinds';
import { arrayOf, hasString, isRecord, isString, parsed } from '../../guards';
import { escaped } from '../../paths';
import type { Schema, Server } from '../../server';
import { listedNames } from './kinds';
import { aliasesIn, BETWEEN_ALIASES, normalized, tidy } from './names';
import type { RawItem } from './values';

/** The items of a server that may fit. */
export interface NamedItems {
  /** The root field of the request. */
  operation: string;
  /** The schema by which they were found. */
  schema: Schema;
  items: RawItem[];
}

/**
 * Lists the items that may have one of the names, or one of them as an alias. Case and white space do not matter.
 * @param select returns the selection of an item's fields: with `id`, `name` and the aliases.
 * @throws {StashError} UNSUPPORTED if the server does not list the kind, or not by aliases; as `Server.request`.
 */
export async function itemsByName(
  server: Server,
  kind: NamedKind,
  field: 'name' | 'aliases',
  names: readonly string[],
  select: (schema: Schema) => string,
  call: Call,
): Promise<NamedItems> {
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      const { all: operation, list, filter, filterType } = listedNames(schema, kind);
      const value = patternOf(names, field === 'name' ? undefined : BETWEEN_ALIASES.source);
      return {
        rootField: operation,
        document: `query ($filter: FindFilterType, $${filter}: ${filterType}) {
          ${operation}(filter: $filter, ${filter}: $${filter}) { ${list} { ${select(schema)} } }
        }`,
        variables: {
          // All releases take -1 for all items.
          filter: { per_page: -1 },
          [filter]: { [field]: { value, modifier: 'MATCHES_REGEX' } },
        },
        read: parsed(isRecord, (found) => ({ operation, schema, items: readItems(found[list]) })),
      };
    },
  });
}

export const readItems = parsed(arrayOf(hasString('id')), (items): RawItem[] => items);

/** Returns those of the items with the name, or else those with the alias. */
export function itemsNamed(
  items: readonly RawItem[],
  name: string,
): { by: 'name' | 'alias'; items: RawItem[] } {
  const wanted = normalized(name);
  const named = items.filter((item) => isString(item['name']) && normalized(item['name']) === wanted);
  if (named.length > 0) return { by: 'name', items: named };
  const known = items.filter((item) => aliasesIn(item).some((alias) => normalized(alias) === wanted));
  return { by: 'alias', items: known };
}

/**
 * Returns a regular expression, as Go reads it, for names in either form of Unicode. Not a comparison in SQL, which ignores the
 * case of ASCII letters only.
 * @param separator what may stand around the name in a text with several.
 */
function patternOf(names: readonly string[], separator?: string): string {
  const [start, end] = separator === undefined ? ['^', '$'] : [`(?:^|${separator})`, `(?:$|${separator})`];
  const forms = new Set(names.map(tidy).flatMap((name) => [name, name.normalize('NFD')]));
  const spellings = [...forms].map((form) => form.split(' ').map(escaped).join(BLANKS));
  return `(?i)${start}\\s*(?:${spellings.join('|')})\\s*${end}`;
}

/** White space in Go, whose \s is ASCII only. */
const BLANKS = '[\\s\\p{Z}]+';
