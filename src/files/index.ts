export { seenFolders } from './file-system-calls';
export { smallFile } from './small-file';
export { type Ended, type Outcome, Settling } from './settling';
export { usualTemporaryNames } from './temporary-names';
