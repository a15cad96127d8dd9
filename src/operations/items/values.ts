import { isRecord, isString } from '../../guards';
import { baseName } from '../../paths';

/** An item as the response has it. */
export type RawItem = Readonly<Record<string, unknown>>;

export function textOrNull(value: unknown): string | null {
  return isString(value) && value !== '' ? value : null;
}

/** Reads a number, or the text of one: a size was a text before v0.17. */
export function numberOrNull(value: unknown): number | null {
  const number = isString(value) && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(isString) : [];
}

export function nameIn(value: unknown): string | null {
  return isRecord(value) ? textOrNull(value['name']) : null;
}

export function everyNameIn(value: unknown): string[] {
  return [value].flat().map(nameIn).filter(isString);
}

/** Returns the paths of an item's files, or of the folder that is the gallery. */
export function pathsOf({ visual_files, files, folder, path }: RawItem): string[] {
  const places = [visual_files, files, folder].flat().filter(isRecord);
  return [...places.map((place) => place['path']), path].filter(isString).filter((one) => one !== '');
}

/** Returns the path of an item's first file, or of the folder that is the gallery; null if it has none. */
export function pathOf(item: RawItem): string | null {
  return pathsOf(item)[0] ?? null;
}

/** Returns a path as messages have it: before v0.17.0, a zero byte was in front of the path in a zip file (seen on v0.11.0). */
export function shownPath(path: string): string {
  return path.replaceAll('\0', '/');
}

/** Returns a value of an item's first file. */
export function inFirstFile(item: RawItem, name: string): number | null {
  const [file] = [item['visual_files'], item['files'], item['file']].flat().filter(isRecord);
  return numberOrNull(file?.[name]);
}

/** Returns the title of an item; the name of its file if it has none, as after most scans; null if it has neither. */
export function titleOf(item: RawItem): string | null {
  const path = pathOf(item);
  return textOrNull(item['title']) ?? (path && baseName(shownPath(path)));
}
