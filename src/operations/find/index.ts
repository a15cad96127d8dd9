export { find, findItems, type FindInput, type FilterWish, type Found } from './find';
export { filterNames } from './saved-filters';
