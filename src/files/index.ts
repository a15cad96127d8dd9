export { seenFolders } from './checks';
export { type Ended, type Outcome, Settling } from './settling';
export { usualTemporaryNames } from './temporary-names';
