export { baseName, folderOf } from './absolute-path';
export { type Coverage, fewestPaths } from './fewest-paths';
export { insideOf, oneOf } from './inside-of';
export { missingRow, PathMap, type PathRow } from './path-map';
