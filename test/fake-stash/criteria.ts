import { getNamedType, type GraphQLSchema, isInputObjectType } from 'graphql';

/** A criterion for a text, as filters have it. */
export interface TextCriterion {
  value: string;
  modifier: string;
}

/** What is known of an item: a value, or the ids or the texts of which it may have several. */
export type Fact = string | number | boolean | null | readonly string[];
/** The facts of an item by the names of criteria, and by those of `is_missing` and of sorts. */
export type Facts = Readonly<Record<string, Fact>>;

/** What criteria depend on besides the item. */
export interface World {
  /** The name of the list. */
  readonly table: string;
  readonly schema: GraphQLSchema;
  /** Returns that of another list, by the type of its filter. */
  readonly of: (type: string) => World;
  /** Returns the facts of an item of the list. */
  readonly factsOf: (id: string) => Facts | undefined;
}

type Given = Readonly<Record<string, unknown>>;
type Fits = (facts: Facts) => boolean;

interface Criterion {
  modifier: string;
  value?: unknown;
}

interface IdCriterion {
  modifier: string;
  value?: readonly string[] | null;
  depth?: number | null;
  excludes?: readonly string[] | null;
}

/**
 * Returns whether an item fits criteria.
 * @param type the type of the filter, such as `SceneFilterType`.
 * @throws what the server says to them, or that the fake server does not implement one.
 */
export function criteriaOf(given: Given, type: string, world: World): Fits {
  const all = Object.entries(given)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => criterionOf(name, value, type, world));
  return (facts) => all.every((fits) => fits(facts));
}

function criterionOf(name: string, given: unknown, type: string, world: World): Fits {
  if (name === 'NOT') {
    const fits = criteriaOf(given as Given, type, world);
    return (facts) => !fits(facts);
  }
  if (name === 'is_missing') return (facts) => isMissing(facts, String(given), world.table);
  const filter = world.schema.getType(type);
  const of = isInputObjectType(filter) ? filter.getFields()[name]?.type : undefined;
  const form = of ? getNamedType(of).name : '';
  const [, related] = /^(\w+?)s?_filter$/.exec(name) ?? [];
  if (related !== undefined) {
    const other = world.of(form);
    const fits = criteriaOf(given as Given, form, other);
    return (facts) =>
      listOf(factOf(facts, `${related}s`)).some((id) => {
        const found = other.factsOf(id);
        return found !== undefined && fits(found);
      });
  }
  const compare = forms[form];
  if (!compare) throw unimplemented(`the criterion ${name}`);
  const fits = compare(given as Criterion & IdCriterion);
  return (facts) => fits(factOf(facts, name));
}

function factOf(facts: Facts, name: string): Fact {
  const fact = facts[name];
  if (fact === undefined) throw unimplemented(`the criterion ${name}`);
  return fact;
}

function unimplemented(what: string): Error {
  return new Error(`the fake server does not implement ${what}`);
}

function isMissing(facts: Facts, name: string, table: string): boolean {
  const fact = facts[name];
  if (fact === undefined) throw new Error(`no such column: ${table}.${name}`);
  return fact === null || fact === false || listOf(fact).every((text) => text.trim() === '');
}

/** Returns the texts of a fact. */
function listOf(fact: Fact): readonly string[] {
  return typeof fact === 'object' && fact !== null ? fact : [String(fact ?? '')];
}

/** By input type. */
const forms: Readonly<Record<string, (criterion: Criterion & IdCriterion) => (fact: Fact) => boolean>> = {
  Boolean: (wanted: unknown) => (fact) => fact === wanted,
  StringCriterionInput: textCriterion,
  IntCriterionInput: ordered,
  TimestampCriterionInput: ordered,
  MultiCriterionInput: idCriterion,
  HierarchicalMultiCriterionInput: idCriterion,
};

function idCriterion({ modifier, value, depth, excludes }: IdCriterion): (fact: Fact) => boolean {
  if (depth) throw unimplemented('a depth');
  if (excludes?.length) throw unimplemented('excludes');
  const ids = value ?? [];
  switch (modifier) {
    case 'INCLUDES':
      return (fact) => ids.length === 0 || ids.some((id) => listOf(fact).includes(id));
    case 'INCLUDES_ALL':
      return (fact) => ids.every((id) => listOf(fact).includes(id));
    default:
      throw unimplemented(`${modifier} of ids`);
  }
}

function textCriterion({ value, modifier }: Criterion): (fact: Fact) => boolean {
  const criterion = { value: String(value), modifier };
  // To test the modifier, and the regular expression.
  matches('', criterion);
  // As SQL does with what it joins: one row for each text.
  return (fact) => fact !== null && listOf(fact).some((text) => matches(text, criterion));
}

/** Returns whether LIKE in SQL finds a text: two characters are wildcards, and case does not matter. */
export function isLike(text: string, wanted: string): boolean {
  const pattern = wanted
    .replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
    .replaceAll('%', '.*')
    .replaceAll('_', '.');
  return new RegExp(`^${pattern}$`, 'is').test(text);
}

/** Returns whether a text fits a criterion. */
export function matches(text: string, { value, modifier }: TextCriterion): boolean {
  switch (modifier) {
    case 'EQUALS':
      return isLike(text, value);
    case 'NOT_EQUALS':
      return !isLike(text, value);
    case 'INCLUDES':
      return wordsOf(value).some((word) => isLike(text, `%${word}%`));
    case 'MATCHES_REGEX':
      return expressionOf(value).test(text);
    default:
      throw unimplemented(`${modifier} of a text`);
  }
}

/** Returns the words of which one is enough; quotes at either end make one word of everything. */
export function wordsOf(text: string): string[] {
  const given = text.trim();
  const phrase = given.replace(/^"+|"+$/g, '');
  return phrase === given ? given.split(/\s+/) : [phrase];
}

// Go writes a flag in front of an expression, or of each alternative; JavaScript does not.
function expressionOf(value: string): RegExp {
  return new RegExp(value.replaceAll('(?i)', ''), value.startsWith('(?i)') ? 'iu' : 'u');
}

/** Returns whether a number or a time fits; null never does. */
function ordered({ value, modifier }: Criterion): (fact: Fact) => boolean {
  const wanted = value as number | string;
  const tests: Readonly<Record<string, (own: Fact) => boolean>> = {
    EQUALS: (own) => own === wanted,
    NOT_EQUALS: (own) => own !== wanted,
    GREATER_THAN: (own) => own !== null && own > wanted,
  };
  const test = tests[modifier];
  if (!test) throw unimplemented(`${modifier} of a number`);
  return (fact) => fact !== null && fact !== '' && test(fact);
}
