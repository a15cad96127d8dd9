export {
  foldersOfFiles,
  kindOnDisk,
  type KindOnDisk,
  Library,
  libraryFolders,
  type LibraryPath,
  type LibraryPaths,
} from './folders';
export { followNew, type NewItemsEvent } from './new-items';
export { largePages, latestItems, SMALL_PAGE } from './newest';
export { isSelectable, shownText } from './dialog-text';
export { furtherFields, statUnits, status, type Status, statusFields, statusRequirements } from './status';
export { documentedStudioFields, studioFields, studioRequirements, studios } from './studios';
