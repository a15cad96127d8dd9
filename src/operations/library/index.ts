export { aliasesIn, itemsByName, itemsNamed, type NamedItems, type NameKind } from './by-name';
export { dateIn } from './dates';
export {
  foldersOfFiles,
  kindOnDisk,
  type KindOnDisk,
  Library,
  libraryFolders,
  type LibraryPath,
  libraryPaths,
  type LibraryPaths,
} from './folders';
export {
  type AnyKind,
  BATCH,
  batchesOf,
  type Chosen,
  chosenItems,
  criteriaOf,
  type ItemKind,
  itemKinds,
  itemsById,
  kinds,
  knownItems,
  oneOf,
  pathOf,
  type RawItem,
  selectionOfPath,
  shortTitle,
  titleOr,
} from './items';
export {
  type FoundItem,
  type ItemReader,
  type LibraryItem,
  libraryItemReader,
  libraryItems,
} from './item-fields';
export { type NamedItem, namedItemReader } from './named-fields';
export { aliasesOf, BETWEEN_ALIASES, isSameSet, LONGEST_NAME, normalized, tidy } from './names';
export { followNew, type NewItemsEvent, type NewLibraryItem } from './new-items';
export { largePages, latestItems, SMALL_PAGE } from './newest';
export { isOfferable, shownText } from './offered-text';
export { fetchPicture, type PictureForm, pictureForms, type WithPicture } from './pictures';
export { furtherFields, status, type Status, statusFields, statusRequirements } from './status';
export { documentedStudioFields, studioFields, studioRequirements, studios } from './studios';
