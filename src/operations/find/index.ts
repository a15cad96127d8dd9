export { find, findItems, type FindInput, type FilterInput, type Found } from './find';
export { filterNames } from './saved-filters';
