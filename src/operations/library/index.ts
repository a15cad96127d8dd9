export { Library, libraryFolders, type LibraryPath, libraryPaths, type LibraryPaths } from './folders';
export {
  type Chosen,
  chosenScenes,
  findById,
  type ItemKind,
  kinds,
  knownItems,
  pathOf,
  type RawItem,
  selectionOfPath,
  titleOr,
} from './items';
export { followNew, type NewItemsEvent, type NewLibraryItem, pictureForms } from './new-items';
export { largePages, latestItems, SMALL_PAGE } from './newest';
export { isOfferable, shownText } from './offered-text';
export { furtherFields, status, type Status, statusFields, statusRequirements } from './status';
export { studioFields, studios } from './studios';
