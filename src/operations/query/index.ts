export { documentHelp } from './document-help';
export { firstList } from './first-list';
export { type Answer, query, tryQuery } from './query';
