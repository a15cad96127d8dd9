export { documentHelp } from './document-help';
export { firstList } from './first-list';
export { MOST_PER_PAGE } from './pages';
export { type Answer, query, tryQuery } from './query';
