export { baseName, folderOf } from './absolute-path';
export { fewestPaths } from './fewest-paths';
export { subfolderOf, containingOf, escaped, insideOf, oneOf, patternBelow, spelledAsIn } from './inside-of';
export { missingRow, PathMap } from './path-map';
