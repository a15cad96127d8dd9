import { DEVICE, isFileName, MOST_BYTES, NOT_ALLOWED, placeholders } from '../contract/backup';
import { StashError } from '../errors';

/** How many bytes `withSuffix` may add. */
const ROOM_FOR_NUMBER = 10;

/**
 * Fills in `{date}` and `{time}` (both in local time), `{server}` and `{schema}`. Any other word in braces stays. Check the
 * result with `checkFileName`.
 * @param schema the version of the database's schema; null if unknown.
 */
export function fillTemplate(
  template: string,
  { time, server, schema }: { time: Date; server: string; schema: number | null },
): string {
  const values = {
    date: joined(time.getFullYear(), time.getMonth() + 1, time.getDate()),
    time: joined(time.getHours(), time.getMinutes(), time.getSeconds()),
    server: server.replace(NOT_ALLOWED, '-'),
    schema: String(schema ?? 'unknown'),
  };
  const filled = new Map(placeholders.map((name) => [`{${name}}`, values[name]]));
  return template.replace(/\{\w+\}/g, (word) => filled.get(word) ?? word);
}

/** @throws {StashError} BAD_INPUT unless `isFileName`. */
export function checkFileName(name: string): string {
  if (isFileName(name)) return name;
  throw new StashError('BAD_INPUT.badName', { details: { name: name.slice(0, 100) } });
}

/** Returns a name from the server with the smallest change that `checkFileName` accepts. */
export function safeName(name: string): string {
  // A long name keeps its end, which has the time of the backup.
  const end = Buffer.from(name).subarray(ROOM_FOR_NUMBER - MOST_BYTES);
  const safe = end
    .toString()
    .replace(NOT_ALLOWED, '-')
    .replace(/^[.\ufffd]+|[. ]+$/g, '')
    .replace(DEVICE, '-');
  return safe === '' ? 'backup' : safe;
}

/** Returns a name with the extension of an archive, without which few programs open one. */
export function zipName(name: string): string {
  return /\.zip$/i.test(name) ? name : `${name}.zip`;
}

/** Returns the version of the database's schema from the server's name for a backup (all releases); null if there is none. */
export function schemaOf(name: string): number | null {
  const schema = /\.(\d{1,9})\.\d{8}_\d{6}(?:\.zip)?$/.exec(name)?.[1];
  return schema === undefined ? null : Number(schema);
}

/** Returns the name for the first, second, … of several files of the same name: `a.db`, `a-2.db`, … */
export function withSuffix(name: string, count: number): string {
  // An extension begins with a letter, unlike the time at the end of a server's name.
  return count === 1 ? name : name.replace(/(?:\.[a-z]\w{0,6})?$/i, (extension) => `-${count}${extension}`);
}

function joined(...numbers: number[]): string {
  return numbers.map((number) => String(number).padStart(2, '0')).join('-');
}
