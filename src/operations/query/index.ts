export { documentHelp } from './document-help';
export { firstList } from './first-list';
export { query, type QueryAnswer, tryQuery } from './query';
