import assert from 'node:assert/strict';
import { words } from '../flow/words';
import { fetchBackup, leaveBackup } from '../operations/inputs';
import { releaseColumn, type Sample } from '../support/sample';
import { backup } from '../../src/operations/backup';

export const sample: Sample = {
  readme: {
    does: 'backs up the database, fetches and checks it',
    payload: 'where it is and [what was checked](#backups), or the backup itself',
  },
  releases: {
    backup: releaseColumn('stash-backup', {
      ways: [{ properties: { download: false } }, { properties: { download: true, folderType: 'message' } }],
      holds: ({ payload }, stash) => {
        if (Buffer.isBuffer(payload)) assert.deepEqual(payload, stash.backups.content);
        else assert.equal((payload as { checked: unknown }).checked, false);
      },
    }),
  },
  documents: {
    'backup, downloaded or not': async (server, call) => {
      await server.understands('backupDatabase', backup(server.asServer, leaveBackup, call));
      await server.understands('backupDatabase', backup(server.asServer, fetchBackup, call));
    },
  },
  byHand: {
    mistake: async (dialog) => {
      await dialog.tick('download');
      await dialog.text(words('backup', 'invalid.folder')).waitFor();
      await dialog.chooseType('filename', 'string');
      await dialog.typeValue('filename', '../stash');
      await dialog.text(words('backup', 'invalid.filename')).waitFor();
      await dialog.type('keep', 'all');
      await dialog.tells('keep', words('backup', 'invalid.keep'));
    },
    reasons: ['invalid.folder', 'invalid.filename', 'invalid.keep'].map((reason) => words('backup', reason)),
    correct: async (dialog) => {
      await dialog.typeValue('filename', '{server} {date}.sqlite');
      await dialog.tick('overwrite');
      await dialog.type('keep', '10');
      await dialog.chooseType('folder', words('backup', 'bare.folder'));
      await dialog.type('messageLimit', '8');
    },
    kept: {
      download: true,
      folder: '',
      folderType: 'message',
      filename: '{server} {date}.sqlite',
      filenameType: 'str',
      overwrite: true,
      keep: '10',
      keepDaily: '0',
      keepWeekly: '0',
      keepMonthly: '0',
      quickCheck: false,
      messageLimit: '8',
      outputs: 2,
    },
    shown: { outputs: '2' },
    answers: [
      {
        payload: /^\[ 83, 81, 76, 105, 116, 101, /,
        summary: /home has been backed up into the message \([^)]+\): whole\./,
      },
    ],
    status: /^backup fetched$/,
  },
  states: [
    { download: true, folder: ['str', ''], filename: ['str', '{day} {hour} ../..'] },
    { download: true, folder: ['str', '/backups'], filename: ['str', '{day} {hour}'], keep: '-1' },
    { download: true, folder: ['message', ''], messageLimit: '0' },
  ],
};
