export { picturesIn } from './archive';
export { BackupBuffer } from './backup-buffer';
export { BackupFile, type ReceivedBackup } from './backup-file';
export { isTaken, openFolder, removeStaleTempFiles } from './folder';
export { lastPictures, rotate } from './manifest';
export { checkFileName, fillTemplate, safeName, schemaOf, zipName } from './name';
export { canQuickCheck } from './quick-check';
export { hasRules, type RetentionPolicy } from './retention';
