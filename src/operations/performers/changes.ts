import { isString } from '../../guards';
import type { Schema } from '../../server';
import { aliasesIn, dateIn, isSameSet, normalized, textsIn, variantOn } from '../items';
import {
  circumcised,
  gender,
  height,
  length,
  mergedUrls,
  picture,
  type PictureFault,
  pictureFaultIn,
  spread,
  urlFields,
  type Urls,
  type ValueReader,
  weight,
  yearsIn,
} from './values';

/**
 * The fields of a performer that are one text, as `ScrapedPerformer` names them: those of the interface document (part 2),
 * those that later releases added, and the picture.
 */
export const textFields = [
  'name',
  'disambiguation',
  ...urlFields,
  'gender',
  'birthdate',
  'death_date',
  'ethnicity',
  'country',
  'eye_color',
  'hair_color',
  'height',
  'weight',
  'measurements',
  'fake_tits',
  'penis_length',
  'circumcised',
  'career_length',
  'career_start',
  'career_end',
  'tattoos',
  'piercings',
  'details',
  'picture',
] as const;

type TextField = (typeof textFields)[number];
type SavedField = TextField | 'aliases' | 'urls';

/** What to save of a performer. A field that is absent stays as it is; no text is empty. */
export interface GivenFields extends Partial<Record<TextField, string>>, Urls {
  aliases?: readonly string[];
}

/**
 * A performer as a server holds it, with the fields of its release. `image` is absent until it has been compared with the picture
 * to save, see `withPicture`.
 */
export type StoredPerformer = Readonly<Record<string, unknown>>;

/**
 * What to do with a field that has a value: `fill` leaves it, but adds to a list what it lacks, as `MERGE` does in Stash's
 * identify task; `replace` is its `OVERWRITE`.
 */
export type Existing = 'fill' | 'replace';

/** What to write. */
export interface Changes {
  /** The fields to send, as the release has them. */
  input: Readonly<Record<string, unknown>>;
  /** The given fields that change something. */
  changed: SavedField[];
  /** The given fields that the release cannot hold. */
  missing: SavedField[];
  /** The given fields whose text is no value for the release, such as "tall" as a height. */
  unusable: SavedField[];
  /** Why the picture is among these. */
  pictureFault?: PictureFault;
  /** The given fields that have another value, which `fill` leaves. */
  kept: SavedField[];
}

/** How to read the fields that releases hold as another type than text. */
const READERS: Partial<Record<string, ValueReader>> = {
  gender,
  birthdate: dateIn,
  death_date: dateIn,
  career_start: dateIn,
  career_end: dateIn,
  height_cm: height,
  weight,
  penis_length: length,
  circumcised,
  image: picture,
};

/** Returns the fields by which a release holds a performer, for the selection of a query. */
export function storedFields(schema: Schema): string {
  const fields = ['id', 'urls', nameOf(schema, 'aliases')];
  for (const field of textFields) {
    // Later releases compute the fields for one address from the list.
    if (!(isUrl(field) && hasUrls(schema))) fields.push(inputFieldOf(schema, field));
  }
  return fields.filter((field) => schema.has('Performer', field)).join(' ');
}

/**
 * Compares the given fields of a performer with what a server holds.
 * @param stored undefined for a performer that is to be created: each of its fields is empty.
 */
export function changesTo(
  schema: Schema,
  stored: StoredPerformer | undefined,
  given: GivenFields,
  existing: Existing,
): Changes {
  const input: Record<string, unknown> = {};
  const changes: Changes = { input, changed: [], missing: [], unusable: [], kept: [] };
  const isList = hasUrls(schema);
  const { fields: urls, isWhole } = spread(given);
  for (const field of textFields) {
    const text = isUrl(field) ? (isList ? undefined : urls[field]) : given[field];
    if (text === undefined) continue;
    if (field === 'career_length' && hasInput(schema, 'career_start')) {
      addCareer(changes, input, stored, given, existing);
      continue;
    }
    const name = inputFieldOf(schema, field);
    const read = READERS[name];
    const value = read ? read(text, schema) : text;
    const before = stored?.[name];
    if (!hasInput(schema, name)) changes.missing.push(field);
    else if (value === undefined) {
      changes.unusable.push(field);
      const fault = field === 'picture' ? pictureFaultIn(text) : undefined;
      if (fault) changes.pictureFault = fault;
    } else if (before === value) continue;
    else if (isUnset(before) || existing === 'replace') {
      input[name] = value;
      changes.changed.push(field);
    } else changes.kept.push(field);
  }
  if (isList) {
    const { list, changed, kept } = mergedUrls(textsIn(stored?.['urls']), given, existing);
    changes.kept.push(...kept);
    if (changed.length > 0) input['urls'] = list;
    changes.changed.push(...changed);
  } else if (!isWhole) changes.missing.push('urls');

  const name = input['name'] ?? stored?.['name'];
  const aliases = changedAliases(schema, stored, { aliases: given.aliases, name }, existing);
  if (aliases !== undefined) {
    input[nameOf(schema, 'aliases')] = aliases;
    changes.changed.push('aliases');
  } else if (existing === 'fill' && lacksAlias(stored, given)) changes.kept.push('aliases');
  return changes;
}

/** Returns what is sent, by the names that a message has for these fields. */
export function namedAsGiven(schema: Schema, input: Changes['input']): Changes['input'] {
  const given = new Map(
    [...textFields, 'aliases' as const].map((field) => [inputFieldOf(schema, field), field]),
  );
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [given.get(name) ?? name, value]));
}

/** Whether a server holds all of `input`. */
export function hasAll(stored: StoredPerformer, input: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(input).every(([name, value]) => {
    const now = stored[name];
    return Array.isArray(value) ? isSameSet(textsIn(value), textsIn(now)) : now === value;
  });
}

/**
 * Adds the years of a career. Since v0.31.0, a server holds its start and its end, derives its length from their years, and refuses a
 * length that it cannot read. A start or an end that is given, too, counts instead.
 */
function addCareer(
  changes: Changes,
  input: Record<string, unknown>,
  stored: StoredPerformer | undefined,
  { career_length = '', ...others }: GivenFields,
  existing: Existing,
): void {
  const years = yearsIn(career_length);
  if (!years) {
    changes.unusable.push('career_length');
    return;
  }
  let isKept = false;
  let isWritten = false;
  for (const [name, year] of Object.entries(years)) {
    const before = stored?.[name];
    if (name in others || (isString(before) && before.startsWith(year))) continue;
    if (isUnset(before) || existing === 'replace') {
      input[name] = year;
      isWritten = true;
    } else isKept = true;
  }
  if (isWritten) changes.changed.push('career_length');
  else if (isKept) changes.kept.push('career_length');
}

/**
 * Returns the aliases to send; undefined if they need no change. Servers since v0.24.0 refuse an alias that is the name, or is
 * in the list twice.
 */
function changedAliases(
  schema: Schema,
  stored: StoredPerformer | undefined,
  { aliases = [], name }: { aliases: readonly string[] | undefined; name: unknown },
  existing: Existing,
): readonly string[] | string | undefined {
  const before = stored ? aliasesIn(stored) : [];
  const isList = nameOf(schema, 'aliases') === 'alias_list';
  const isFilled = existing === 'fill' && before.length > 0;
  if (isFilled && !isList) return undefined;
  const kept = isFilled ? before : [];
  const seen = new Set([isString(name) ? name : '', ...kept].map(normalized));
  const added = aliases.filter((alias) => {
    const key = normalized(alias);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
  const after = [...kept, ...added];
  if (added.length === 0 || isSameSet(after, before)) return undefined;
  return isList ? after : after.join(', ');
}

/** Whether a performer with aliases lacks one of the given ones: before v0.19.0, they are one text, which `fill` leaves. */
function lacksAlias(stored: StoredPerformer | undefined, { aliases = [] }: GivenFields): boolean {
  if (!stored) return false;
  const seen = new Set([...aliasesIn(stored), String(stored['name'])].map(normalized));
  return aliases.some((alias) => !seen.has(normalized(alias)));
}

/** Returns the name by which a release takes a field. */
function inputFieldOf(schema: Schema, field: SavedField): string {
  return field === 'picture' ? 'image' : nameOf(schema, field);
}

/** Returns the name by which a release holds a field: that of other releases, too, if none is known to differ. */
function nameOf(schema: Schema, field: string): string {
  return variantOn(schema, 'performer', field)?.name ?? field;
}

/** Since v0.27.0, all addresses are one list. */
function hasUrls(schema: Schema): boolean {
  return nameOf(schema, 'urls') === 'urls' && hasInput(schema, 'urls');
}

function hasInput(schema: Schema, field: string): boolean {
  return schema.has('PerformerUpdateInput', field);
}

function isUrl(field: TextField): field is (typeof urlFields)[number] {
  return (urlFields as readonly string[]).includes(field);
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
