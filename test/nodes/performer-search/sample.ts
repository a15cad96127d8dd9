import assert from 'node:assert/strict';
import { searchPerformers } from '../../../src/operations/performers/search';
import { words } from '../../support/words';
import { forEachSource, releaseColumn, type Sample } from '../../support/sample';

export const sample: Sample = {
  readme: 'searches an external site for [performers](docs/performers.md)',
  releases: {
    'performer search': releaseColumn('stash-performer-search', {
      ways: [{ properties: {}, msg: { payload: 'Robin' } }],
      holds: ({ payload }) => {
        assert.deepEqual(payload, ['Robin Vale', 'Robin Valentine']);
      },
    }),
  },
  documents: forEachSource('performer search', async (source, server, call) => {
    const { matches } = await searchPerformers(server.asServer, { query: 'text', source }, call);
    assert.equal(matches[0]?.name, 'text');
  }),
  messages: {
    names: ({ ask }) => ask({}, { payload: 'robin' }),
    'one of several messages': async ({ start }) => {
      const flow = await start({ split: true });
      const id = flow.send({ payload: 'robin' });
      await flow.until(() => flow.hasEnded(id));
      return flow.sentOn(id).map((msg) => ({ output: 1, msg }));
    },
  },
  byHand: {
    mistake: async (dialog) => {
      await dialog.typeValue('query', '');
      await dialog.tells('query', words('server', 'invalid.property', { type: 'msg' }));
    },
    reasons: [words('server', 'invalid.property', { type: 'msg' })],
    correct: async (dialog) => {
      await dialog.chooseType('query', 'string');
      await dialog.typeValue('query', 'Maeve');
      await dialog.tick('split');
    },
    kept: { query: 'Maeve', queryType: 'str', split: true },
    answers: [{ payload: /^"Maeve O'Connell"$/, summary: /1 performer matches “Maeve”\./ }],
    status: /^1 match$/,
  },
  states: [
    { query: ['str', ''] },
    { query: ['performer', ''], source: ['str', 'a-scraper-with-a-long-name'] },
  ],
};
