export { baseName, folderOf } from './absolute-path';
export { type Coverage, fewestPaths } from './fewest-paths';
export { branchOf, containingOf, insideOf, oneOf } from './inside-of';
export { escaped, patternBelow } from './pattern-below';
export { missingRow, PathMap } from './path-map';
