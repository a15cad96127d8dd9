import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { studioFields, studios } from '../../../src/operations/library/studios';
import { fieldsTried } from '../../browser/fields';
import { selections } from '../../support/checked-server';
import { releaseColumn, type Sample } from '../../support/sample';

export const sample: Sample = {
  readme: 'lists the studios',
  fields: studioFields,
  releases: {
    studios: releaseColumn('stash-studios', {
      ways: [{ properties: { fields: studioFields } }],
      holds: ({ payload }, stash) => {
        const studios = payload as Record<string, unknown>[];
        assert.equal(studios.length, stash.studios.length);
        for (const { name, checksum } of studios) {
          assert.equal(checksum, createHash('md5').update(String(name)).digest('hex'));
        }
      },
    }),
  },
  documents: {
    'studios, with any selection': async (server, call) => {
      for (const fields of selections(studioFields)) {
        const { studios: found, missing } = await studios(server.asServer, { fields }, call);
        const given = fields.filter((field) => !missing.includes(field));
        assert.deepEqual(Object.keys(found[0] ?? {}), given);
        assert.ok(missing.every((field) => field === 'organized'));
      }
    },
  },
  messages: {
    studios: ({ ask }) => ask(),
    'with a field that this server lacks': ({ ask }) => ask({ fields: ['name', 'checksum'] }),
  },
  byHand: {
    ...fieldsTried(['name', 'scene_count']),
    answers: [{ payload: /^\[ (object,? ){6}\]$/, summary: /home has 6 studios\./ }],
    status: /^6 studios$/,
  },
  states: [{ fields: '' }],
};
