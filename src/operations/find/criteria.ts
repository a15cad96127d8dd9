import { StashError } from '../../errors';
import { isRecord, isString } from '../../guards';
import { checkedInput, type Schema, type TypeReference } from '../../server';

/** A criterion as Stash's pages keep it in a saved filter or in their address. The API has another form for each type of value. */
export interface PageCriterion {
  type: string;
  modifier?: unknown;
  value?: unknown;
  /** The end of a range, in older pages. */
  value2?: unknown;
}

/**
 * The names of criteria of the schema, by those in older pages (v0.8 to v0.26). The pages, too, use each where the schema has it,
 * though it may still have the former one.
 */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  favorite: 'filter_favorites',
  parent_studios: 'parents',
  parentTags: 'parents',
  parent_tags: 'parents',
  childTags: 'children',
  child_tags: 'children',
  parent_tag_count: 'parent_count',
  child_tag_count: 'child_count',
  sceneTags: 'scene_tags',
  performerTags: 'performer_tags',
  hasMarkers: 'has_markers',
  hasChapters: 'has_chapters',
  sceneChecksum: 'checksum',
  galleryChecksum: 'checksum',
  scene_code: 'code',
  phash: 'phash_distance',
  stash_id: 'stash_id_endpoint',
  height: 'height_cm',
  movies: 'groups',
  // Of files, since v0.31.
  folder: 'files_filter',
};

/** The names of criteria that replace others, which v0.31 deprecates. */
const LATER_NAMES: Readonly<Record<string, string>> = { stash_id_endpoint: 'stash_ids_endpoint' };

/** The names of `is_missing` in older pages. */
const IS_MISSING = /^(?:scene|image|gallery|performer|studio|tag|movie)IsMissing$/;

/** What the pages call the values of enums. Other values are in capitals in the schema. */
const RESOLUTIONS: Readonly<Record<string, string>> = {
  '144p': 'VERY_LOW',
  '240p': 'LOW',
  '360p': 'R360P',
  '480p': 'STANDARD',
  '540p': 'WEB_HD',
  '720p': 'STANDARD_HD',
  '1080p': 'FULL_HD',
  '1440p': 'QUAD_HD',
  '1920p': 'VR_HD',
  '4k': 'FOUR_K',
  '5k': 'FIVE_K',
  '6k': 'SIX_K',
  '7k': 'SEVEN_K',
  '8k': 'EIGHT_K',
  Huge: 'HUGE',
};

/** What the pages call the languages of captions, by their codes. */
const LANGUAGES: Readonly<Record<string, string>> = {
  Deutsche: 'de',
  English: 'en',
  Español: 'es',
  Français: 'fr',
  Italiano: 'it',
  日本: 'ja',
  한국인: 'ko',
  Holandés: 'nl',
  Português: 'pt',
  Русский: 'ru',
  Unknown: '00',
};

/** The modifiers without a value. */
const WITHOUT_VALUE: readonly unknown[] = ['IS_NULL', 'NOT_NULL'];
const EXACT: readonly unknown[] = ['EQUALS', 'NOT_EQUALS'];
/** The modifiers with two values. */
const RANGES: readonly unknown[] = ['BETWEEN', 'NOT_BETWEEN'];
/** The modifiers beside which the pages apply what is excluded. */
const WITH_EXCLUDED: readonly unknown[] = ['INCLUDES', 'INCLUDES_ALL'];

/**
 * Translates the criteria of a page to the input that a server takes for them.
 * @param type the input type of all criteria, such as `SceneFilterType`.
 * @throws {StashError} BAD_INPUT with the name of a criterion that cannot be translated: a filter is never half applied.
 */
export function translatedCriteria(
  schema: Schema,
  type: string,
  criteria: readonly PageCriterion[],
): Record<string, unknown> {
  const fields = schema.fieldsOf(type);
  const input: Record<string, unknown> = {};
  for (const criterion of criteria) {
    const present = IS_MISSING.test(criterion.type)
      ? 'is_missing'
      : (FORMER_NAMES[criterion.type] ?? criterion.type);
    const names = [present, LATER_NAMES[present] ?? present, criterion.type];
    const name = names.find((one) => fields?.has(one)) ?? criterion.type;
    const reference = fields?.get(name);
    const value = reference && translated(schema, name, reference, criterion);
    // Two criteria of one name would be one.
    if (value === undefined || name in input) throw untranslatable(criterion);
    input[name] = value;
  }
  return input;
}

function untranslatable({ type }: PageCriterion): StashError {
  return new StashError('BAD_INPUT.criterion', { details: { name: type.slice(0, 40) } });
}

/** Returns the value of a criterion as its input type has it; undefined if it does not fit. */
function translated(
  schema: Schema,
  name: string,
  reference: TypeReference,
  criterion: PageCriterion,
): unknown {
  const type = namedType(reference);
  const value = readers[type]?.(criterion, { name, has: (field) => schema.has(type, field) });
  if (value === undefined) return undefined;
  try {
    if (reference.kind !== 'LIST') return checkedInput(schema, type, name, value);
    return Array.isArray(value) ? value.map((one) => checkedInput(schema, type, name, one)) : undefined;
  } catch (error) {
    if (error instanceof StashError) return undefined;
    throw error;
  }
}

function namedType({ name, ofType }: TypeReference): string {
  return ofType ? namedType(ofType) : (name ?? '');
}

/** What a reader knows of the criterion in the schema. */
interface Target {
  name: string;
  /** Whether its input type has a field. */
  has: (field: string) => boolean;
}

/** By input type. Each returns the input, or undefined for a value of another shape. */
const readers: Readonly<Record<string, (criterion: PageCriterion, target: Target) => unknown>> = {
  Boolean: ({ value }) => flag(value),
  String: ({ value }) => text(value) ?? flag(value)?.toString(),
  StringCriterionInput: textCriterion,
  IntCriterionInput: (criterion, { name }) =>
    // The pages would convert such a number by their own settings.
    name === 'rating100' && typeof criterion.value === 'number' ? undefined : range(criterion, 0, number),
  FloatCriterionInput: (criterion) => range(criterion, 0, number),
  DateCriterionInput: (criterion) => range(criterion, '', filledText),
  TimestampCriterionInput: (criterion) => range(criterion, '', time),
  MultiCriterionInput: idCriterion,
  HierarchicalMultiCriterionInput: idCriterion,
  GenderCriterionInput: ({ modifier, value }, { has }) => {
    const list = enumValues(modifier, [value ?? []].flat());
    if (has('value_list')) return list && { value_list: list, modifier };
    // Before v0.25, it was one.
    return list && list.length <= 1
      ? { ...(list[0] !== undefined && { value: list[0] }), modifier }
      : undefined;
  },
  CircumcisionCriterionInput: ({ modifier, value }) => {
    const list = enumValues(modifier, value);
    return list && { value: list, modifier };
  },
  OrientationCriterionInput: ({ value }) => {
    const list = enumValues(undefined, value);
    return list && { value: list };
  },
  ResolutionCriterionInput: ({ modifier, value }) =>
    isString(value) ? { value: RESOLUTIONS[value] ?? value, modifier } : undefined,
  PhashDistanceCriterionInput: ({ modifier, value }) => {
    const { value: hash, distance } = isRecord(value) ? value : { value };
    if (WITHOUT_VALUE.includes(modifier)) return { value: '', modifier };
    return isString(hash) ? { value: hash, modifier, distance } : undefined;
  },
  PHashDuplicationCriterionInput: duplicated,
  DuplicationCriterionInput: duplicated,
  StashIDCriterionInput: (criterion) => stashId(criterion, (id) => ({ stash_id: id })),
  StashIDsCriterionInput: (criterion) => stashId(criterion, (id) => ({ stash_ids: [id] })),
  CustomFieldCriterionInput: ({ value }) => value,
  FileFilterType: (criterion, { has }) => {
    const inFolders = idCriterion(criterion, { name: 'parent_folder', has: () => true });
    return has('parent_folder') && inFolders ? { parent_folder: inFolders } : undefined;
  },
};

function textCriterion({ modifier, value }: PageCriterion, { name }: Target): unknown {
  if (WITHOUT_VALUE.includes(modifier)) return { value: '', modifier };
  const given = text(value);
  const wanted = name === 'captions' ? LANGUAGES[given ?? ''] : given;
  return wanted === undefined ? undefined : { value: wanted, modifier };
}

/**
 * Reads what is duplicated. Pages before v0.31 save that of the phash alone, which those since then read alike. These save any of
 * several: `{ phash: true, title: false }`.
 */
function duplicated({ value }: PageCriterion, { has }: Target): unknown {
  const isDuplicated = flag(value);
  if (isDuplicated !== undefined) return { [has('phash') ? 'phash' : 'duplicated']: isDuplicated };
  if (!isRecord(value) || !has('phash')) return undefined;
  // The check against the schema refuses what is unknown, or no flag.
  const isGiven = ([name, wanted]: [string, unknown]) => name !== 'distance' && (wanted ?? null) !== null;
  return Object.entries(value).some(isGiven) ? value : undefined;
}

/** Reads an ID of a stash-box, which older pages had alone. Without a modifier that needs one, a stash-box is enough. */
function stashId({ modifier, value }: PageCriterion, inputOf: (id: string) => object): unknown {
  const { endpoint, stashID } = isRecord(value) ? value : { stashID: value };
  if (WITHOUT_VALUE.includes(modifier)) return { endpoint, modifier };
  return isString(stashID) ? { endpoint, ...inputOf(stashID), modifier } : undefined;
}

/** Reads a value, or two for BETWEEN, which older pages have beside the criterion instead of in it. */
function range<Value>(
  criterion: PageCriterion,
  none: Value,
  read: (value: unknown) => Value | undefined,
): unknown {
  const { modifier, value } = criterion;
  if (WITHOUT_VALUE.includes(modifier)) return { value: none, modifier };
  const { value: first, value2: second } = isRecord(value) ? value : criterion;
  const given = read(first);
  if (given === undefined) return undefined;
  // The pages allow a range of ratings without an end.
  const isOpen = second === undefined || second === null;
  if (isOpen || !RANGES.includes(modifier)) return { value: given, modifier };
  const other = read(second);
  return other === undefined ? undefined : { value: given, value2: other, modifier };
}

/** Reads labelled items, `[{ id, label }]` or `{ items, excluded, depth }`. */
function idCriterion({ modifier, value }: PageCriterion, { name, has }: Target): unknown {
  if (WITHOUT_VALUE.includes(modifier)) return { modifier };
  const { items, excluded, depth } = isRecord(value) ? value : { items: value };
  // The update to v0.23 has replaced empty lists by null.
  const ids = idsOf(items ?? []);
  const excludes = idsOf(excluded ?? []);
  if (!ids || !excludes || ids.length + excludes.length === 0) return undefined;
  if (excludes.length > 0 && !(has('excludes') && WITH_EXCLUDED.includes(modifier))) return undefined;
  // Servers before v0.21 ignore these, and find everything.
  if (!has('excludes') && EXACT.includes(modifier)) return undefined;
  // As pages since v0.21 send what older ones saved: servers ignore EXCLUDES for the tags of markers. For the groups of performers,
  // they ignore `excludes`.
  const isExcluding = modifier === 'EXCLUDES' && has('excludes') && name === 'tags';
  return {
    ...(isExcluding ? { value: [], modifier: 'INCLUDES', excludes: ids } : { value: ids, modifier }),
    ...(excludes.length > 0 && { excludes }),
    ...(has('depth') && { depth: modifier === 'EQUALS' ? 0 : (depth ?? 0) }),
  };
}

function idsOf(items: unknown): string[] | undefined {
  if (!Array.isArray(items)) return undefined;
  const ids = items.flatMap((item: unknown) => {
    const id = isRecord(item) ? item['id'] : undefined;
    return /^\d{1,18}$/.test(String(id)) ? [String(id)] : [];
  });
  return ids.length === items.length ? ids : undefined;
}

/** Returns the values of an enum, such as `TRANSGENDER_MALE` for "Transgender Male". */
function enumValues(modifier: unknown, values: unknown): string[] | undefined {
  if (WITHOUT_VALUE.includes(modifier)) return [];
  if (!Array.isArray(values) || !values.every(isString)) return undefined;
  return values.length === 0 ? undefined : values.map((value) => value.toUpperCase().replace(/[ -]/g, '_'));
}

function flag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : undefined;
}

function number(value: unknown): number | undefined {
  const given = isString(value) && value.trim() !== '' ? Number(value) : value;
  return typeof given === 'number' && Number.isFinite(given) ? given : undefined;
}

/** Returns a text. An empty one is no criterion: servers would find everything. */
function text(value: unknown): string | undefined {
  return isString(value) && value !== '' ? value : undefined;
}

function filledText(value: unknown): string | undefined {
  return isString(value) && value.trim() !== '' ? value.trim() : undefined;
}

function time(value: unknown): string | undefined {
  const given = filledText(value) ?? '';
  return /^\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2})?$/.test(given) ? given.replace(' ', 'T') : undefined;
}
