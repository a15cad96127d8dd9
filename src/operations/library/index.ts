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
export { JsonCache } from './json-cache';
export { followNew, type NewItemsEvent, type NewLibraryItem } from './new-items';
export { latestItems } from './newest';
export { isOfferable, shownText } from './offered-text';
export { largePages, SMALL_PAGE } from './pages';
export { furtherFields, status, type Status, statusFields, statusRequirements } from './status';
export { studioFields, studios } from './studios';
export { BUILTIN_SCRAPER, GITHUB, siteOf } from './sites';
