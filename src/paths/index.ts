export { baseName } from './absolute-path';
export { type Coverage, fewestPaths } from './fewest-paths';
export { insideOf } from './folders';
export { missingRow, PathMap, type PathRow } from './path-map';
