export { find, findItems, findRequirements, type FindInput, type FilterInput, type Found } from './find';
export { filterNames } from './saved-filters';
