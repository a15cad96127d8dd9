import type { UpdateKind } from '../../contract/update';
import { isRecord } from '../../guards';
import { baseName, folderOf } from '../../paths';
import { pathsOf, type RawItem } from '../items';
import { FOLDER, type UnresolvedFieldEdit, type WantedFieldEdit } from './field-edits';

/** An archive is a file, also for what is in it: before v0.17.0, with a zero byte in between. */
const ARCHIVE = /\.(zip|cbz)$/i;
const IN_ARCHIVE = /^(.+?\.(?:zip|cbz))[/\\\0]/i;

/** Whether a field is to be the name of the folder of each item. */
export function wantsFolder({ set, add, remove }: WantedFieldEdit): boolean {
  return [set, add, remove].flat().includes(FOLDER);
}

/**
 * Returns what is wanted of an item, with the names of its folders. Nothing is wanted of a field for which there would be none.
 * @param isOfLibrary whether a folder is one of the library, whose name says nothing of the items in it.
 */
export function withFolders(
  fieldEdits: readonly WantedFieldEdit[],
  kind: UpdateKind,
  item: RawItem,
  isOfLibrary: (folder: string) => boolean,
): UnresolvedFieldEdit[] {
  const names = foldersOf(kind, item)
    .filter((folder) => !isOfLibrary(folder))
    .map((folder) => baseName(folder).trim());
  const found = [...new Set(names)].filter((name) => name !== '').map((name) => ({ name }));
  // The first file is the one that Stash plays.
  const [first] = found;
  const named = (values: WantedFieldEdit['add']) =>
    values.flatMap((value) => (value === FOLDER ? found : [value]));
  return fieldEdits.flatMap((fieldEdit): UnresolvedFieldEdit[] => {
    if (!wantsFolder(fieldEdit)) return [fieldEdit as UnresolvedFieldEdit];
    const { field, set } = fieldEdit;
    const [add, remove] = [named(fieldEdit.add), named(fieldEdit.remove)];
    const lists = { field, add, remove, count: 0 };
    if (set === undefined) return add.length + remove.length > 0 ? [lists] : [];
    if (!first) return [];
    const one = field === 'title' ? first.name : first;
    return [{ ...lists, set: set === FOLDER ? one : found }];
  });
}

/** Returns the folder of each file of an item; a gallery may be a folder itself. */
function foldersOf(kind: UpdateKind, item: RawItem): string[] {
  const { folder, path } = item;
  // Older releases have one path, of a folder or of an archive.
  const own = isRecord(folder) ? folder['path'] : ARCHIVE.test(String(path)) ? undefined : path;
  return pathsOf(item).map((one) =>
    kind === 'gallery' && one === own ? one : folderOf(IN_ARCHIVE.exec(one)?.[1] ?? one),
  );
}
