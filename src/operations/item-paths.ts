import { isRecord, isString } from '../guards';
import { baseName } from '../paths';
import type { Schema } from '../server';

/**
 * Returns the selection for the paths of an item, which depends on the release. A gallery may be a folder.
 * @param field another field of each file, such as its size.
 */
export function selectionOfPath(schema: Schema, type: 'Scene' | 'Image' | 'Gallery', field = ''): string {
  const file = `{ path ${field} }`;
  const folder = schema.has(type, 'folder') ? ' folder { path }' : '';
  if (schema.has(type, 'visual_files')) {
    return `visual_files { ... on VideoFile ${file} ... on ImageFile ${file} }${folder}`;
  }
  if (schema.has(type, 'files')) return `files ${file}${folder}`;
  return field === '' ? 'path' : `path file { ${field} }`;
}

/** Returns the path of an item's first file, or of the folder that is the gallery; null if it has none. */
export function pathOf({
  visual_files,
  files,
  folder,
  path,
}: Readonly<Record<string, unknown>>): string | null {
  const places = [visual_files, files, folder].flat().filter(isRecord);
  return [...places.map((place) => place['path']), path].find(isString) ?? null;
}

/** Returns the title of an item; the name of its file if it has none, as after most scans; null if it has neither. */
export function titleOr(title: unknown, path: string | null): string | null {
  return isString(title) && title !== '' ? title : path && baseName(path);
}
