export { baseName } from './absolute-path';
export { insideOf } from './folders';
export { missingRow, PathMap, type PathRow } from './path-map';
