import { StashError } from '../errors';

/** What some system does not allow in a name, on Windows the most, and what would show another name than it is. */
const NOT_ALLOWED = /[\p{Cc}\p{Cs}\p{Bidi_Control}/\\<>:"|?*]/gu;
/** What Windows takes for a device, whatever comes behind the dot. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?= *(?:\.|$))/i;
/** Systems allow 255; the names of partial files and of shares with a code of their own need some. */
const MOST_BYTES = 240;
/** What `numbered` may add to a name of the server. */
const ROOM_FOR_NUMBER = 10;

/** What a template for names may hold. */
export interface NameParts {
  time: Date;
  server: string;
  /** The version of the server's database, null where it is not known. */
  schema: number | null;
}

/**
 * Fills `{date}`, `{time}` (both in local time), `{server}` and `{schema}` in; any other word in braces is left as it
 * stands. What comes out is still to be checked.
 */
export function fillTemplate(template: string, { time, server, schema }: NameParts): string {
  const values = new Map([
    ['{date}', joined(time.getFullYear(), time.getMonth() + 1, time.getDate())],
    ['{time}', joined(time.getHours(), time.getMinutes(), time.getSeconds())],
    ['{server}', server.replace(NOT_ALLOWED, '-')],
    ['{schema}', String(schema ?? 'unknown')],
  ]);
  return template.replace(/\{\w+\}/g, (word) => values.get(word) ?? word);
}

/**
 * Gives a name back that any system allows and that stays in its folder: backups are copied from one to another.
 * @throws {StashError} BAD_INPUT for any other name.
 */
export function checkName(name: string): string {
  const isFit = name !== '' && name.search(NOT_ALLOWED) < 0 && !/^\.|[. ]$/.test(name) && !DEVICE.test(name);
  if (isFit && Buffer.byteLength(name) <= MOST_BYTES) return name;
  throw new StashError('BAD_INPUT.badName', { details: { name: name.slice(0, 100) } });
}

/** A name that the server gave, changed as little as `checkName` wishes. */
export function safeName(name: string): string {
  // Of a name that is too long the end is kept, which tells when the backup was made.
  const end = Buffer.from(name).subarray(ROOM_FOR_NUMBER - MOST_BYTES);
  const safe = end
    .toString()
    .replace(NOT_ALLOWED, '-')
    .replace(/^[.\ufffd]+|[. ]+$/g, '')
    .replace(DEVICE, '-');
  return safe === '' ? 'backup' : safe;
}

/** The version of the database that a server wrote into the name of its backup, as all releases do. */
export function schemaOf(name: string): number | null {
  const schema = /\.(\d{1,9})\.\d{8}_\d{6}(?:\.zip)?$/.exec(name)?.[1];
  return schema === undefined ? null : Number(schema);
}

/** The name for the first, second, … of those that would have the same one. */
export function withSuffix(name: string, count: number): string {
  // The time at the end of a server's name is no extension: those begin with a letter.
  return count === 1 ? name : name.replace(/(?:\.[a-z]\w{0,6})?$/i, (extension) => `-${count}${extension}`);
}

function joined(...numbers: number[]): string {
  return numbers.map((number) => String(number).padStart(2, '0')).join('-');
}
