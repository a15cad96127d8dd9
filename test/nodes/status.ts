import assert from 'node:assert/strict';
import { fieldsTried } from '../browser/fields';
import { releaseColumn, type Sample } from '../support/sample';
import { selections } from '../support/checked-server';
import { furtherFields, status, statusFields } from '../../src/operations/status';

export const sample: Sample = {
  readme: { does: 'requests the status of the server', payload: 'an object' },
  fields: [...statusFields, ...furtherFields],
  releases: {
    status: releaseColumn('stash-status', {
      ways: [{ properties: { fields: statusFields } }],
      holds: ({ payload, stash }) => {
        const { databasePath, ...more } = payload as Record<string, unknown>;
        assert.equal(databasePath, '/config/stash-go.sqlite');
        if (stash?.missing) assert.deepEqual([more, stash['version']], [{}, 'v0.5.0']);
        else assert.equal(more['status'], 'OK');
      },
    }),
  },
  documents: {
    'status, with any selection': async (server, call) => {
      for (const fields of selections(statusFields)) {
        const { status: found, missing } = await status(server.asServer, { fields }, call);
        assert.deepEqual([...Object.keys(found), ...missing].sort(), [...fields].sort());
      }
    },
    'the release of the server': async (server, call) => {
      const { status: found, missing } = await status(server.asServer, { fields: ['version'] }, call);
      assert.deepEqual([Object.keys(found), missing], [['version'], []]);
    },
  },
  byHand: {
    ...fieldsTried(['databaseSchema', 'status']),
    answers: [{ payload: /databaseSchema: \d+, status: "OK"/, summary: /home reports status OK\./ }],
    status: /^OK$/,
  },
  states: [{ fields: '' }],
};
