export { type DescribedItem, find, findItems, type FindInput, type FilterWish, type Found } from './find';
export { filterNames, type FoundKind, foundKinds } from './saved-filters';
