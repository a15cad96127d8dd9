import assert from 'node:assert/strict';
import { words } from '../../support/words';
import { fetchBackup, leaveBackup } from '../../operations/inputs';
import { releaseColumn, type Sample } from '../../support/sample';
import { backup } from '../../../src/operations/backup';
import { database } from '../../fake-stash/database';
import { slowly } from '../../fake-stash/faults';

export const sample: Sample = {
  readme: 'backs up the database, downloads and verifies it',
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
  messages: {
    'on the disk of the server': ({ ask }) => ask(),
    'in a folder': ({ ask, folder }) => ask({ download: true, folder }),
    'in a folder that keeps one': async ({ stash, start, folder }) => {
      const flow = await start({ download: true, folder, keep: '1' });
      await flow.ask();
      // The name that the server gives has whole seconds.
      stash.clock.ahead += 1000;
      return await flow.ask();
    },
    'with the pictures': {
      options: { release: 'v0.31.0' },
      run: ({ ask, folder }) => ask({ download: true, includeBlobs: true, folder }),
    },
    'without the pictures that it was to have': {
      options: { release: 'v0.31.0' },
      run: ({ stash, ask, folder }) => {
        stash.backups.answers = stash.backups.content;
        return ask({ download: true, includeBlobs: true, folder });
      },
    },
    'in the message': ({ ask }) => ask({ download: true, folderType: 'message' }),
    progress: async ({ stash, start, folder }) => {
      stash.backups.content = database({ bytes: 300_000 });
      stash.answerWith(slowly(250_000), { path: '/downloads' });
      const flow = await start({ download: true, folder });
      const id = flow.send();
      await flow.until(() => flow.hasEnded(id));
      return flow.progressOf(id).map((msg) => ({ output: 2, msg }));
    },
  },
  byHand: {
    mistake: async (dialog) => {
      await dialog.chooseOwn('destination', words('backup', 'destination.folder'));
      await dialog.tells('folder', words('backup', 'invalid.folder'));
      await dialog.chooseType('filename', 'string');
      await dialog.typeValue('filename', '../stash');
      await dialog.tells('filename', words('backup', 'invalid.filename'));
      await dialog.type('keep', 'all');
      await dialog.tells('keep', words('backup', 'invalid.keep'));
    },
    correct: async (dialog) => {
      await dialog.typeValue('filename', '{server} {date}.sqlite');
      await dialog.tick('overwrite');
      await dialog.type('keep', '10');
      await dialog.chooseOwn('destination', words('backup', 'destination.message'));
      await dialog.type('messageLimit', '8');
    },
    kept: {
      download: true,
      folderType: 'message',
      filename: '{server} {date}.sqlite',
      filenameType: 'str',
      overwrite: true,
      keep: '10',
      messageLimit: '8',
      outputs: 2,
    },
    shown: { outputs: '2' },
    answers: [
      {
        payload: /^\[ 83, 81, 76, 105, 116, 101, /,
        summary: /Database of home backed up to the message \([^)]+, verified\)\./,
      },
    ],
    status: /^backup in message$/,
  },
  states: [
    { '#stash-destination': 'folder', folder: ['str', ''], filename: ['str', '{day} {hour} ../..'] },
    {
      '#stash-destination': 'folder',
      folder: ['str', '/backups'],
      filename: ['str', '{day} {hour}'],
      keep: '-1',
    },
    { '#stash-destination': 'message', messageLimit: '0' },
  ],
};
