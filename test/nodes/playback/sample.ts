import assert from 'node:assert/strict';
import { StashError } from '../../../src/errors';
import { followActivity } from '../../../src/operations/playback/activity';
import type { Sent, Stage } from '../../contract/stage';
import type { FakeStash } from '../../fake-stash/fake-stash';
import { words } from '../../support/words';
import { Flow } from '../../support/flow';
import { hasPolled, pollingOften, skip, tell, watch } from '../../support/playback';
import { helper } from '../../support/runtime';
import type { Sample } from '../../support/sample';
import { until } from '../../support/waiting';

export const sample: Sample = {
  readme: 'reports when somebody starts or stops watching a scene, with its picture',
  releases: { playback: listen },
  documents: {
    'what is being watched': async (server) => {
      const ends: unknown[] = [];
      await pollingOften(async () => {
        const end = followActivity(server.asServer, {
          onViewing: (viewing) => ends.push(viewing),
          onFailure: (error) => ends.push(error),
        });
        await until(() => ends.length > 0);
        end();
      });
      const isUnsupported = ends[0] instanceof StashError && ends[0].code === 'UNSUPPORTED';
      assert.ok(isUnsupported || !(ends[0] instanceof Error), String(ends[0]));
    },
  },
  messages: {
    started: (stage) => eventOf(stage, 'started'),
    progress: (stage) => eventOf(stage, 'progress'),
    stopped: (stage) => eventOf(stage, 'stopped'),
    paused: (stage) => pageEventOf(stage, 'paused'),
    resumed: (stage) => pageEventOf(stage, 'resumed'),
  },
  byHand: {
    mistake: async (dialog) => {
      await dialog.type('quiet', '10');
      await dialog.tells('quiet', words('playback', 'invalid.quiet'));
    },
    correct: async (dialog) => {
      await dialog.type('quiet', '60');
      await dialog.isSilent('quiet');
    },
    kept: { quiet: '60' },
    answers: [
      {
        happens: async (stash) => {
          await until(() => hasPolled(stash));
          // As much as one viewer can watch in ten seconds.
          watch(stash, '5', 750);
        },
        payload: /title: "Window Seat"/,
        summary: /Somebody started watching “Window Seat” on home \(at 12 min 30 s\)\./,
      },
    ],
    status: /^1 scene playing$/,
  },
  states: [{ started: false, stopped: false }],
};

/** Returns the table cell of the node, which has no input. */
async function listen(stash: FakeStash): Promise<string> {
  return await pollingOften(async () => {
    const { length: before } = stash.requests;
    const flow = await Flow.start({ type: 'stash-playback', server: { url: stash.url } });
    await flow.until(() => hasPolled(stash, before) || flow.ownErrors.length > 0);
    const [error] = flow.ownErrors;
    if (!error) {
      watch(stash, '1', 10);
      await flow.until(() => flow.sent.length === 1);
    }
    await helper.unload();
    return error ? (error.error?.code ?? '') : 'works';
  });
}

/** Returns the message for an event about a scene that somebody watches for a while. */
async function eventOf({ stash, start }: Stage, topic: string): Promise<Sent[]> {
  return await pollingOften(async () => {
    const flow = await start({ progress: true, picture: 'buffer' });
    await flow.until(() => hasPolled(stash));
    const about = () => flow.sent.filter((msg) => msg['topic'] === topic);
    for (const position of [10, 20]) {
      const { length: before } = flow.sent;
      watch(stash, '1', position);
      await flow.until(() => flow.sent.length > before);
    }
    skip(30_000);
    await flow.until(() => about().length > 0);
    return about().map((msg) => ({ output: 1, msg }));
  });
}

/** Returns the message for an event that a page of Stash tells. */
async function pageEventOf({ stash, start }: Stage, topic: string): Promise<Sent[]> {
  return await pollingOften(async () => {
    const flow = await start({ started: false, stopped: false, paused: true });
    await flow.until(() => hasPolled(stash) && stash.sockets.subscribed.includes('loggingSubscribe'));
    for (const state of ['playing', 'paused', 'playing']) tell(stash, state);
    const about = () => flow.sent.filter((msg) => msg['topic'] === topic);
    await flow.until(() => about().length > 0);
    return about().map((msg) => ({ output: 1, msg }));
  });
}
