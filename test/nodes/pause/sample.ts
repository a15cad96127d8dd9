import assert from 'node:assert/strict';
import { Pause } from '../../../src/jobs/pause';
import { words } from '../../support/words';
import { helper } from '../../support/runtime';
import { releaseColumn, type Sample } from '../../support/sample';

export const sample: Sample = {
  readme: 'holds jobs back while somebody watches, or at night',
  asDragged: { payload: 1, code: 'BAD_INPUT' },
  releases: {
    pause: releaseColumn('stash-pause', {
      ways: [{ properties: { paused: 'payload', pausedType: 'msg' }, msg: { payload: 'off' } }],
      holds: ({ payload }) => {
        assert.deepEqual(payload, { paused: false, interrupted: [], waiting: 0 });
      },
    }),
  },
  documents: {},
  messages: {
    paused: async ({ stash, start }) => {
      stash.jobs.hold();
      const flow = await start(
        { paused: 'payload', pausedType: 'msg' },
        {
          configs: [
            { id: 'gen', type: 'stash-generate', sprites: true, server: 'server1', wires: [['output1']] },
          ],
        },
      );
      helper.getNode('gen').receive({});
      await flow.until(() => flow.sent.length === 1 && stash.jobs.queue?.[0]?.status === 'RUNNING');
      const end = await flow.ask({ payload: true });
      await flow.ask({ payload: false });
      stash.jobs.release();
      return [end];
    },
    resumed: ({ ask }) => ask({ paused: 'payload', pausedType: 'msg' }, { payload: 'off' }),
    ended: async ({ stash, start }) => {
      const flow = await start({ paused: 'payload', pausedType: 'msg' });
      await flow.ask({ payload: true });
      Pause.of(stash.url).releaseAll('BUTTON');
      await flow.until(() => flow.sent.length === 2);
      return flow.sent.slice(1).map((msg) => ({ output: 1, msg }));
    },
  },
  byHand: {
    mistake: async (dialog) => {
      await dialog.type('atMost', 'long');
      await dialog.tells('atMost', words('pause', 'invalid.atMost'));
    },
    correct: async (dialog) => {
      await dialog.type('atMost', '3');
      await dialog.isSilent('atMost');
      await dialog.chooseType('paused', 'boolean');
    },
    kept: { paused: 'true', pausedType: 'bool', atMost: '3' },
    answers: [{ payload: /paused: true/, summary: /Jobs on home are paused\./ }],
    status: /^paused$/,
  },
};
