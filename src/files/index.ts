export { seenFolders } from './seen-folders';
export { Settling } from './settling';
export type { Ended, Outcome } from './watched-path';
export { usualTemporaryNames } from './temporary-names';
