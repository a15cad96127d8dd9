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
  readonly minor: number;
  /** Returns that of another list, by the type of its filter. */
  readonly of: (type: string) => World;
  /** Returns the facts of an item of the list. */
  readonly factsOf: (id: string) => Facts | undefined;
  /** Returns an id with those below it, to this depth; to any if it is negative. */
  readonly below: (name: string, id: string, depth: number) => readonly string[];
}

type Fits = (facts: Facts) => boolean;

interface Criterion {
  modifier: string;
  value?: unknown;
  value2?: unknown;
  value_list?: readonly string[] | null;
  excludes?: readonly string[] | null;
  depth?: number | null;
}

const OPERATORS = ['AND', 'OR', 'NOT'];
/** The names of `is_missing` that are those of other facts. */
const MISSING: Readonly<Record<string, string>> = { movie: 'groups', group: 'groups' };

/**
 * Returns whether an item fits criteria.
 * @param type the type of the filter, such as `SceneFilterType`.
 * @throws what the server says to them, or that the fake server does not implement one.
 */
export function criteriaOf(given: Readonly<Record<string, unknown>>, type: string, world: World): Fits {
  const present = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  const operators = OPERATORS.filter((name) => present.some(([other]) => other === name));
  if (operators.length > 1)
    throw new Error(`cannot have ${operators.slice(0, 2).join(' and ')} in the same filter`);
  const own = present
    .filter(([name]) => !OPERATORS.includes(name))
    .map(([name, value]) => criterionOf(name, value, type, world));
  const fitsOwn: Fits = (facts) => own.every((fits) => fits(facts));
  const [operator] = operators;
  if (!operator) return fitsOwn;
  const other = criteriaOf(given[operator] as typeof given, type, world);
  switch (operator) {
    case 'AND':
      return (facts) => fitsOwn(facts) && other(facts);
    case 'OR':
      return own.length === 0 ? other : (facts) => fitsOwn(facts) || other(facts);
    default:
      return (facts) => fitsOwn(facts) && !other(facts);
  }
}

function criterionOf(name: string, given: unknown, type: string, world: World): Fits {
  if (name === 'is_missing') return (facts) => isMissing(facts, String(given), world.table);
  const filter = world.schema.getType(type);
  const of = isInputObjectType(filter) ? filter.getFields()[name]?.type : undefined;
  const form = of ? getNamedType(of).name : '';
  const [, related] = /^(\w+?)s?_filter$/.exec(name) ?? [];
  if (related !== undefined) {
    const other = world.of(form);
    const fits = criteriaOf(given as Record<string, unknown>, form, other);
    return (facts) =>
      listOf(factOf(facts, `${related}s`)).some((id) => {
        const found = other.factsOf(id);
        return found !== undefined && fits(found);
      });
  }
  const compare = forms[form];
  if (!compare) throw unimplemented(`the criterion ${name}`);
  const fits = compare(given as Criterion, name, world);
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
  const fact = facts[MISSING[name] ?? name];
  if (name === '') return true;
  if (fact === undefined) throw new Error(`no such column: ${table}.${name}`);
  return fact === null || fact === false || listOf(fact).every((text) => text.trim() === '');
}

/** Returns the texts of a fact. */
function listOf(fact: Fact): readonly string[] {
  return typeof fact === 'object' && fact !== null ? fact : [String(fact ?? '')];
}

/** By input type. */
const forms: Readonly<
  Record<string, (criterion: Criterion, name: string, world: World) => (fact: Fact) => boolean>
> = {
  Boolean: (wanted: unknown) => (fact) => fact === wanted,
  String: (wanted: unknown) => (fact) => String(fact) === wanted,
  StringCriterionInput: textCriterion,
  IntCriterionInput: (criterion) => ordered(criterion, `numeric modifier type ${criterion.modifier}`, 0),
  FloatCriterionInput: (criterion) => ordered(criterion, `numeric modifier type ${criterion.modifier}`, 0),
  // Without an end, a range ends tomorrow.
  DateCriterionInput: (criterion) => ordered(criterion, 'date modifier type', '9'),
  TimestampCriterionInput: (criterion) => ordered(criterion, 'date modifier type', '9'),
  MultiCriterionInput: idCriterion,
  HierarchicalMultiCriterionInput: idCriterion,
  GenderCriterionInput: (criterion, _, { minor }) =>
    // Before v0.25, it has one value and ignores the modifier.
    minor < 25 ? (fact) => fact === criterion.value : choice(criterion),
  CircumcisionCriterionInput: choice,
  OrientationCriterionInput:
    ({ value }) =>
    (fact) =>
      (value as unknown[]).includes(fact),
  ResolutionCriterionInput: ({ value, modifier }) => {
    const rank = (name: unknown) => RESOLUTIONS.indexOf(String(name));
    return ordered({ value: rank(value), modifier }, 'resolution modifier', 0, rank);
  },
};

const RESOLUTIONS = [
  ...['VERY_LOW', 'LOW', 'R360P', 'STANDARD', 'WEB_HD', 'STANDARD_HD', 'FULL_HD', 'QUAD_HD', 'VR_HD'],
  ...['FOUR_K', 'FIVE_K', 'SIX_K', 'SEVEN_K', 'EIGHT_K', 'HUGE'],
];

function textCriterion({ value, modifier }: Criterion, name: string): (fact: Fact) => boolean {
  const criterion = { value: String(value), modifier };
  // To test the modifier, and the regular expression.
  matches('', criterion);
  return (fact) => {
    if (typeof fact !== 'object' || fact === null)
      return matches(fact === null ? null : String(fact), criterion);
    if (modifier === 'EXCLUDES') throw unimplemented(`${modifier} of ${name}`);
    // As SQL does with what it joins: one row for each, or one with none.
    return fact.length === 0 ? matches(null, criterion) : fact.some((text) => matches(text, criterion));
  };
}

/** Returns whether LIKE in SQL finds a text: two characters are wildcards, and case does not matter. */
export function isLike(text: string, wanted: string): boolean {
  const pattern = wanted
    .replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
    .replaceAll('%', '.*')
    .replaceAll('_', '.');
  return new RegExp(`^${pattern}$`, 'is').test(text);
}

/** Returns whether a text fits a criterion; null is no text, which few criteria fit. */
export function matches(text: string | null, { value, modifier }: TextCriterion): boolean {
  const isIn = () => wordsOf(value).some((word) => isLike(text ?? '', `%${word}%`));
  const isEmpty = text === null || text.trim() === '';
  switch (modifier) {
    case 'EQUALS':
      return text !== null && isLike(text, value);
    case 'NOT_EQUALS':
      return text !== null && !isLike(text, value);
    case 'INCLUDES':
      return text !== null && isIn();
    case 'EXCLUDES':
      return text !== null && !isIn();
    case 'MATCHES_REGEX':
      return expressionOf(value).test(text ?? '') && text !== null;
    case 'NOT_MATCHES_REGEX':
      return !expressionOf(value).test(text ?? '') || text === null;
    case 'IS_NULL':
      return isEmpty;
    case 'NOT_NULL':
      return !isEmpty;
    default:
      throw new Error('Internal system error. Error <unsupported string filter modifier>');
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

type Ordered = number | string;

/** Returns whether a number, a date or a time fits; null never does. */
function ordered(
  { value, value2, modifier }: Criterion,
  what: string,
  end: Ordered,
  read = (fact: Fact) => fact,
): (fact: Fact) => boolean {
  const first = value as Ordered;
  const last = (value2 ?? end) as Ordered;
  const tests: Readonly<Record<string, (own: Ordered) => boolean>> = {
    EQUALS: (own) => own === first,
    NOT_EQUALS: (own) => own !== first,
    GREATER_THAN: (own) => own > first,
    LESS_THAN: (own) => own < first,
    BETWEEN: (own) => own >= first && own <= last,
    NOT_BETWEEN: (own) => own < first || own > last,
    NOT_NULL: () => true,
    IS_NULL: () => false,
  };
  const test = tests[modifier];
  if (!test) throw new Error(`Internal system error. Error <unsupported ${what}>`);
  return (fact) => (fact === null || fact === '' ? modifier === 'IS_NULL' : test(read(fact) as Ordered));
}

function choice({ value, value_list, modifier }: Criterion): (fact: Fact) => boolean {
  const list: readonly unknown[] = value_list ?? [value ?? []].flat();
  const has = (fact: Fact) => list.length === 0 || list.includes(fact);
  switch (modifier) {
    case 'INCLUDES':
    case 'EQUALS':
      return has;
    case 'EXCLUDES':
    case 'NOT_EQUALS':
      return (fact) => list.length === 0 || (fact !== null && !has(fact));
    default:
      return (fact) => matches(fact as string | null, { value: '', modifier });
  }
}

const PLAIN = ['INCLUDES', 'INCLUDES_ALL', 'EXCLUDES'];
/** The ids for which all modifiers are implemented, and those with few: others do nothing, or something odd. */
const WHOLE = ['tags', 'performers', 'studios', 'groups', 'galleries', 'scene_tags'];
const FEW: Readonly<Record<string, readonly string[]>> = {
  'scene_markers tags': ['INCLUDES', 'INCLUDES_ALL'],
  'scenes performer_tags': PLAIN,
  'groups performers': PLAIN,
  'movies performers': PLAIN,
};

/** Returns the modifiers that are implemented: before v0.11 those for no ids, and before v0.21 those for just these do nothing. */
function modifiersOf(name: string, { table, minor }: World): readonly string[] {
  const few = FEW[`${table} ${name}`];
  if (few || minor < 11) return few ?? PLAIN;
  const own = minor >= 21 && WHOLE.includes(name) ? ['EQUALS', 'NOT_EQUALS', 'excludes'] : [];
  return [...PLAIN, 'IS_NULL', 'NOT_NULL', ...own];
}

function idCriterion(
  { modifier: given, value, excludes, depth }: Criterion,
  name: string,
  world: World,
): (fact: Fact) => boolean {
  const known = modifiersOf(name, world);
  for (const used of [given, ...(excludes ? ['excludes'] : [])]) {
    if (!known.includes(used)) throw unimplemented(`${used} of ${name}`);
  }
  // An item has one studio at most.
  const isSingle = name === 'studios';
  if (given === 'NOT_EQUALS' && !isSingle) {
    const what = name === 'performers' ? 'multi criterion input' : 'hierarchical multi criterion input';
    throw new Error(`not equals modifier is not supported for ${what}`);
  }
  const isExcluding = given === 'EXCLUDES' || given === 'NOT_EQUALS';
  const each = (ids: readonly string[]) => ids.map((id) => world.below(name, id, depth ?? 0));
  const ids = each((value as readonly string[] | null | undefined) ?? []);
  const wanted = isExcluding ? [] : ids;
  const unwanted = [...each(excludes ?? []), ...(isExcluding ? ids : [])].flat();
  return (fact) => {
    const own = listOf(fact);
    if (given === 'IS_NULL') return own.length === 0;
    if (given === 'NOT_NULL') return own.length > 0;
    if (own.some((id) => unwanted.includes(id))) return false;
    if (wanted.length === 0) return true;
    const found = wanted.filter((some) => some.some((id) => own.includes(id)));
    if (given === 'INCLUDES') return found.length > 0;
    if (isSingle && wanted.length > 1) return false;
    return found.length === wanted.length && (given === 'INCLUDES_ALL' || own.length === wanted.length);
  };
}
