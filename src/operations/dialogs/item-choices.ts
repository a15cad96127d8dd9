import type { Call } from '../../call';
import { type ItemChoice, type ItemChoices, MOST_CHOSEN } from '../../contract/items';
import { type ChoiceKind, fileKinds } from '../../contract/kinds';
import { StashError } from '../../errors';
import { arrayOf, hasString, isRecord, isString, parsed } from '../../guards';
import { baseName, escaped, folderOf } from '../../paths';
import type { Schema, Server } from '../../server';
import { itemsById, namesOf, normalized, pathOf, type RawItem, selectItem, tidy, titleOf } from '../items';
import { isSelectable, shownText } from '../library';

const MOST_SHOWN = 25;
/** How many are requested: servers before v0.12 also find items with only one of several words. */
const MOST_FOUND = 100;
const LONGEST_TEXT = 100;

/**
 * Answers a question of a dialog, which may be any JSON: `{ kind, text, ids }`.
 * @throws {StashError} as `Server.request`; BAD_INPUT for an unknown kind.
 */
export async function itemChoices(server: Server, question: unknown, call: Call): Promise<ItemChoices> {
  const { kind, text, ids } = itemQuery(question);
  const readerOf = (schema: Schema) => ({
    text: choiceSelection(schema, kind),
    read: (item: RawItem) => choiceOf(server, kind, item),
  });
  const named = await itemsById(server, kind, ids, readerOf, call);
  const chosen = named.items.map(([, item]) => item);
  if (text === undefined) return { items: [], count: 0, chosen };
  const { count, found, isLoose } = await searchItems(server, kind, text, call);
  const all = found
    .map((item) => ({ ...choiceOf(server, kind, item), ...(kind === 'performer' && offeredName(item)) }))
    .sort(inOrderFor(text));
  const fitting = isLoose ? all.filter(hasWordsOf(text)) : [];
  const items = fitting.length > 0 ? fitting : all;
  return { items: items.slice(0, MOST_SHOWN), count: fitting.length > 0 ? fitting.length : count, chosen };
}

/** Finds the items that a text fits, in one request. */
async function searchItems(server: Server, kind: ChoiceKind, text: string, call: Call) {
  const { all, type, list, filter, filterType } = namesOf(kind);
  const name = fileKinds.some((one) => one === kind) ? 'title' : 'name';
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      if (!schema.has('Query', all)) throw schema.lacks(all);
      // Of several words, one is enough for servers before v0.12.
      // The list of scrapers came with the same release as the search for all words.
      const isLoose = text.includes(' ') && !schema.has('Query', 'listScrapers');
      // Of many items that contain the text, those that begin with it may be far behind.
      const hasFirst = text !== '' && schema.has(filterType, name);
      const sorted = { sort: name, direction: 'ASC' };
      return {
        rootField: all,
        document: `query ($found: FindFilterType${hasFirst ? `, $first: FindFilterType, $begins: ${filterType}` : ''}) {
          found: ${all}(filter: $found) { count ${list} { ...Choice } }
          ${hasFirst ? `first: ${all}(filter: $first, ${filter}: $begins) { ${list} { ...Choice } }` : ''}
        }
        fragment Choice on ${type} { ${choiceSelection(schema, kind)} }`,
        variables: {
          found: { q: searchFor(text, isLoose), per_page: MOST_FOUND, ...sorted },
          ...(hasFirst && {
            first: { per_page: MOST_SHOWN, ...sorted },
            begins: { [name]: { value: beginningWith(text), modifier: 'MATCHES_REGEX' } },
          }),
        },
        isWhole: true,
        // Each item once.
        read: parsed(isRecord, ({ found, first }) => {
          const items = [first, found].filter(isRecord).flatMap((part) => itemsIn(part[list]));
          const each = new Map(items.map((item) => [item['id'], item]));
          const { count } = isRecord(found) ? found : {};
          const total = Math.max(typeof count === 'number' ? count : 0, each.size);
          return { count: total, found: [...each.values()], isLoose };
        }),
      };
    },
  });
}

const itemsIn = parsed(arrayOf(hasString('id')), (items): RawItem[] =>
  items.filter(({ id }) => isSelectable(id)),
);

/**
 * Returns what a server searches for: each word in quotes, because a minus sign and `or` have a meaning since v0.12. Before,
 * quotes make one word of everything.
 */
function searchFor(text: string, isLoose: boolean): string {
  const words = text.split(/[\s"]+/).filter((word) => word !== '');
  return words.map((word) => (isLoose ? word : `"${word}"`)).join(' ');
}

/** Returns a regular expression, as Go reads it, for names that begin with the text in either form of Unicode. */
function beginningWith(text: string): string {
  const forms = [...new Set([tidy(text), tidy(text).normalize('NFD')])];
  return `(?i)^(?:${forms.map(escaped).join('|')})`;
}

/** The fields of the label and the detail. */
const DETAILS = {
  scene: ['title', 'paths', 'date', 'studio', 'performers'],
  image: ['title', 'paths', 'date', 'studio', 'performers'],
  gallery: ['title', 'paths', 'date', 'studio', 'performers'],
  studio: ['name', 'aliases'],
  performer: ['name', 'disambiguation', 'aliases'],
  tag: ['name', 'aliases'],
} as const satisfies Readonly<Record<ChoiceKind, readonly string[]>>;

function choiceSelection(schema: Schema, kind: ChoiceKind): string {
  const parent = kind === 'studio' ? ' parent_studio { name }' : '';
  return `id ${selectItem(schema, kind, DETAILS[kind]).text}${parent}`;
}

function choiceOf(server: Server, kind: ChoiceKind, item: RawItem): ItemChoice {
  const shown = (text: string) => shownText(server, text);
  const { id, name } = item;
  const path = pathOf(item);
  const label = titleOf(item) ?? name;
  // A scan of a new library finds nothing but files.
  const detail = detailOf(item) || (path === null ? '' : baseName(folderOf(path)));
  return {
    id: String(id),
    label: shown(isString(label) ? label : '') || String(id),
    detail: shown(detail),
    ...((kind === 'scene' || kind === 'image') && { picture: true }),
  };
}

/** Returns the name as the value of an input that takes a name. */
function offeredName({ name }: RawItem): Pick<ItemChoice, 'name'> {
  return isString(name) && isSelectable(name) ? { name } : {};
}

function detailOf(item: RawItem): string {
  const { date, studio, performers, disambiguation, parent_studio, alias_list, aliases = alias_list } = item;
  return [date, studio, performers, disambiguation, parent_studio, aliases].flatMap(textsInField).join(' · ');
}

/** Returns the texts in the value of a field: a text, an item with a name, or a list of them. */
function textsInField(value: unknown): string[] {
  return [value]
    .flat()
    .map((one: unknown) => (isRecord(one) ? one['name'] : one))
    .filter(isString)
    .filter((text) => text !== '');
}

/** Sorts by how well a label fits the text, and then by name. */
function inOrderFor(text: string): (one: ItemChoice, other: ItemChoice) => number {
  const wanted = normalized(text);
  const words = wanted.split(' ');
  // Not created at start-up: the first collator takes 3 MB.
  const collator = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true });
  const rankOf = ({ label }: ItemChoice) => {
    const name = normalized(label);
    if (name === wanted) return 0;
    if (name.startsWith(wanted)) return 1;
    return words.every((word) => name.includes(word)) ? 2 : 3;
  };
  return (one, other) => rankOf(one) - rankOf(other) || collator.compare(one.label, other.label);
}

/** Returns whether the texts of an item contain each word of a text. */
function hasWordsOf(text: string): (item: ItemChoice) => boolean {
  const words = normalized(text).split(' ');
  return ({ label, detail }) => {
    const all = normalized(`${label} ${detail}`);
    return words.every((word) => all.includes(word));
  };
}

function itemQuery(given: unknown) {
  const { kind, text, ids } = isRecord(given) ? given : ({} as Record<string, unknown>);
  if (!isString(kind) || !Object.hasOwn(DETAILS, kind)) {
    throw new StashError('BAD_INPUT.unknownChoice', { details: { choice: String(kind).slice(0, 40) } });
  }
  const isId = (id: unknown): id is string => isString(id) && /^\d{1,18}$/.test(id);
  const chosen = Array.isArray(ids) ? ids.slice(0, MOST_CHOSEN).filter(isId) : [];
  return {
    kind: kind as ChoiceKind,
    text: isString(text) ? tidy(text.slice(0, LONGEST_TEXT)) : undefined,
    ids: [...new Set(chosen)],
  };
}
