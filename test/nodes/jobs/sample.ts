import assert from 'node:assert/strict';
import { otherTask } from '../../fake-stash/tasks';
import { words } from '../../support/words';
import { Flow } from '../../support/flow';
import { helper } from '../../support/runtime';
import { until } from '../../support/waiting';
import type { Sample } from '../../support/sample';
import type { JobRecord } from '../../../src/records';
import type { FakeStash } from '../../fake-stash/fake-stash';
import { following, type Sent, type Stage, stepThrough } from '../../contract/stage';

export const sample: Sample = {
  readme: 'reports each job that starts or ends, whoever started it',
  releases: { jobs: listen },
  documents: {},
  messages: {
    started: (stage) => eventOfJob(stage, 'started'),
    progress: (stage) => eventOfJob(stage, 'progress'),
    ended: (stage) => eventOfJob(stage, 'ended'),
    gap: async ({ stash, start, restart }) => {
      stash.jobs.seconds = 60;
      const flow = await following(stash, start({ ended: false }));
      stash.jobs.add(otherTask('Scanning...', 'a step'));
      await flow.until(() => flow.sent.length === 1);
      await restart();
      const gap = () => flow.sent.filter(({ topic }) => topic === 'gap');
      await flow.until(() => gap().length > 0);
      return gap().map((msg) => ({ output: 1, msg }));
    },
    'away and back': async ({ stash, start, restart }) => {
      const flow = await following(stash, start({ started: false, ended: false, reach: true }));
      await stash.stop();
      await flow.until(() => flow.sent.length === 1);
      await restart();
      await flow.until(() => flow.sent.length === 2);
      return flow.sent.map((msg) => ({ output: 1, msg }));
    },
  },
  byHand: {
    mistake: async (dialog) => {
      await dialog.tick('started');
      assert.equal(await dialog.isFlagged('started'), false, 'one event is enough');
      await dialog.tick('ended');
      await dialog.tells('started', words('jobs', 'invalid.events'));
      assert.ok(await dialog.isFlagged('started'));
    },
    correct: async (dialog) => {
      await dialog.tick('ended');
      await dialog.isSilent('started');
    },
    kept: { started: false },
    answers: [
      {
        happens: async ({ jobs, sockets }) => {
          // The node does not report a job that finishes before the node follows the server.
          await until(() => sockets.subscribed.includes('jobsSubscribe'));
          jobs.add(otherTask('Cleaning...', 'Cleaning'));
        },
        payload: /status: "FINISHED", description: "Cleaning..."/,
        summary: /Job \d+ \(Cleaning\) on home finished/,
      },
    ],
    status: /^connected$/,
  },
  states: [{ started: false, ended: false }],
};

/** Returns the table cell of the node, which has no input, for a job that already runs when the node is deployed. */
async function listen(stash: FakeStash): Promise<string> {
  stash.jobs.hold();
  stash.jobs.add(otherTask('Cleaning...', 'Cleaning'));
  const flow = await Flow.start({ type: 'stash-jobs', server: { url: stash.url } });
  // The job must not end before the node has seen that it runs.
  const isRunning = () => flow.statuses.some(({ fill }) => fill === 'blue');
  await flow.until(() => isRunning() || flow.ownErrors.length > 0);
  stash.jobs.release();
  await flow.until(() => flow.sent.length + flow.ownErrors.length > 0);
  await helper.unload();
  const [error] = flow.ownErrors;
  if (error) return error.error?.code ?? '';
  assert.deepEqual(
    flow.sent.map(({ topic }) => topic),
    ['ended'],
  );
  assert.equal((flow.sent[0]?.payload as JobRecord).status, 'FINISHED');
  return 'works';
}

/** Returns the messages with a topic about one job. */
async function eventOfJob({ stash, start }: Stage, wanted: string): Promise<Sent[]> {
  const flow = await following(stash, start({ progress: true }));
  const about = (topic: string) => flow.sent.filter((msg) => msg['topic'] === topic);
  stash.jobs.hold();
  stash.jobs.add(otherTask('Generating...', 'sprites', 'previews', 'markers'));
  await stepThrough(stash, () => about('progress'));
  await flow.until(() => about('ended').length > 0);
  return about(wanted).map((msg) => ({ output: 1, msg }));
}
