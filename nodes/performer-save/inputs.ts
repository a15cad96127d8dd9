import { StashError } from '../../src/errors';
import {
  type EvaluatedProperty,
  hasKind,
  JSON_TYPES,
  kindIn,
  type Preset,
  trimmed,
  typed,
} from '../../src/flow';
import { arrayOf, isRecord, isString } from '../../src/guards';
import { aliasesOf } from '../../src/operations/items';
import { dataUrlOf, type PerformerToSave, textFields } from '../../src/operations/performers';

/**
 * A typed input for a performer to save: a name, an object with fields of a performer, or a list of exactly one of them. Ignores
 * fields that it does not know, such as the score of a candidate. Null and empty text mean that a field is unknown.
 */
export function performerToSave(name: string, preset: Preset): EvaluatedProperty<PerformerToSave> {
  return typed(name, preset, JSON_TYPES, (result, details) => {
    if (Array.isArray(result) && result.length > 1) {
      throw new StashError('BAD_INPUT.tooMany', { details: { ...details, count: result.length } });
    }
    const value: unknown = Array.isArray(result) ? result[0] : result;
    if (value === undefined || value === null) throw new StashError('BAD_INPUT.empty', { details });
    if (isString(value)) return { name: trimmed(value, details) };
    if (!isRecord(value)) throw new StashError('BAD_INPUT.notPerformer', { details });
    if ('id' in value && hasKind(value)) kindIn(value, ['performer'], details);
    try {
      const performer = readPerformer(value);
      if (performer.id !== undefined || performer.name !== undefined) return performer;
    } catch (error) {
      if (!(error instanceof WrongField)) throw error;
      const { message: name } = error;
      throw new StashError('BAD_INPUT.notPerformerField', { details: { ...details, name } });
    }
    throw new StashError('BAD_INPUT.notPerformer', { details });
  });
}

/** Reads from the same whether its picture is null: the site has none, though somebody wanted it. */
export function withoutPicture(name: string, preset: Preset): EvaluatedProperty<boolean> {
  return typed(name, preset, JSON_TYPES, (result) => {
    const value: unknown = Array.isArray(result) ? result[0] : result;
    return isRecord(value) && value['picture'] === null;
  });
}

/** More aliases or addresses than anybody has. Further ones are left out, as they would take long to compare. */
const MOST_TEXTS = 1000;
const LONGEST_TEXT = 100_000;

/** A field has a value of the wrong type. The message is its name. */
class WrongField extends Error {}

/** Reads the fields under their names in all releases: `height_cm` is the height, and `alias_list` are further aliases. */
function readPerformer(value: Readonly<Record<string, unknown>>): PerformerToSave {
  const performer: PerformerToSave = {};
  const { height_cm, aliases, alias_list, urls, id } = value;
  for (const field of textFields) {
    const given = field === 'picture' ? pictureIn(value[field]) : value[field];
    const text = readText(field, given) || (field === 'height' ? readText('height_cm', height_cm) : '');
    if (text !== '') performer[field] = text;
  }
  const allAliases = [
    ...(isString(aliases) ? aliasesOf(aliases.slice(0, LONGEST_TEXT)) : readTexts('aliases', aliases)),
    ...readTexts('alias_list', alias_list),
  ].slice(0, MOST_TEXTS);
  const allUrls = readTexts('urls', urls).slice(0, MOST_TEXTS);
  const number = readText('id', id);
  if (number !== '' && !ID.test(number)) throw new WrongField('id');
  return {
    ...performer,
    ...(number !== '' && { id: number }),
    ...(allAliases.length > 0 && { aliases: allAliases }),
    ...(allUrls.length > 0 && { urls: allUrls }),
  };
}

const ID = /^\d+$/;

/** Returns the data URL of a picture that is a Buffer, or a data URL of any form; any other value as it is. */
function pictureIn(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return dataUrlOf(value);
  const text = isString(value) ? value.trimStart() : '';
  const [start] = /^data:[^,]{0,200};base64,/i.exec(text.slice(0, 300)) ?? [];
  if (start === undefined) return value;
  const base64 = text.slice(start.length).replace(/\s+/g, '');
  const content = Buffer.from(base64, 'base64');
  // What is no base64 is left out of the content.
  return content.length === Math.floor((base64.replace(/={1,2}$/, '').length * 3) / 4)
    ? dataUrlOf(content)
    : value;
}

function readText(field: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (isString(value)) return value.trim();
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  throw new WrongField(field);
}

function readTexts(field: string, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const texts: unknown = isString(value) ? [value] : value;
  if (!arrayOf(isString)(texts)) throw new WrongField(field);
  return texts.map((text) => text.trim()).filter((text) => text !== '');
}
