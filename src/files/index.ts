export { seenFolders } from './seen-folders';
export { type Ended, type Outcome, Settling } from './settling';
export { usualTemporaryNames } from './temporary-names';
