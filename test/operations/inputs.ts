import type { BackupInput } from '../../src/operations/backup';

/** A backup that goes into the message, under the name that the server gives. */
export const fetchBackup: BackupInput = {
  download: true,
  includeBlobs: false,
  folder: null,
  filename: null,
  overwrite: false,
  retention: { last: 0, daily: 0, weekly: 0, monthly: 0 },
  quickCheck: false,
  messageLimit: 2 ** 20,
  owner: { node: 'node', server: 'server' },
};

/** A backup that the server keeps. */
export const leaveBackup: BackupInput = { ...fetchBackup, download: false };
