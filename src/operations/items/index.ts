export {
  BATCH,
  batchesOf,
  type Chosen,
  chosenItems,
  itemsById,
  existingItems,
  rawItems,
  shortTitle,
} from './by-id';
export { itemsByName, itemsNamed, type NamedItems, readItems } from './by-name';
export { dateIn } from './dates';
export {
  type FieldVariant,
  inputWord,
  messageFields,
  requirementsOf,
  selectItem,
  variantOn,
  variantsOf,
} from './fields';
export { listedNames, namesEver, namesOf, namesOn } from './kinds';
export { aliasesIn, aliasesOf, BETWEEN_ALIASES, isSameSet, LONGEST_NAME, normalized, tidy } from './names';
export {
  fetchPicture,
  type PicturedItem,
  type PictureFormat,
  pictureFormats,
  type WithPicture,
} from './pictures';
export { type FoundItem, type Item, type ItemReader, itemReader, itemUnits, libraryItems } from './reader';
export { inFirstFile, pathOf, pathsOf, type RawItem, textsIn, titleOf } from './values';
