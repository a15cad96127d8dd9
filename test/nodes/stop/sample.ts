import assert from 'node:assert/strict';
import { stop } from '../../../src/operations/tasks/stop';
import type { JobRecord } from '../../../src/records';
import { otherTask } from '../../fake-stash/tasks';
import { words } from '../../support/words';
import { releaseColumn, type Sample } from '../../support/sample';

export const sample: Sample = {
  readme: 'stops a job, or all jobs',
  asDragged: { payload: '12' },
  releases: {
    stop: releaseColumn('stash-stop', {
      // This job does not finish before the node stops it.
      before: ({ jobs }) => {
        jobs.hold();
        jobs.add(otherTask('Cleaning...', 'Cleaning'));
      },
      after: ({ jobs }) => {
        jobs.release();
      },
      ways: [{ properties: { jobType: 'all' } }],
      holds: ({ payload }) => {
        const { stopped } = payload as { stopped: JobRecord[] };
        assert.deepEqual(
          stopped.map(({ status }) => status),
          ['STOPPING'],
        );
      },
    }),
  },
  documents: {
    'stop, one job or all': async (server, call) => {
      for (const job of [server.job, null]) {
        const { stopped } = await stop(server.asServer, { job }, call);
        assert.deepEqual(stopped, [{ ...server.job, status: 'STOPPING' }]);
      }
    },
  },
  messages: {
    stopped: async ({ stash, ask }) => {
      stash.jobs.seconds = 60;
      for (const name of ['Generating...', 'Scanning...']) stash.jobs.add(otherTask(name, 'a step'));
      return await ask({ jobType: 'all' });
    },
    'nothing to stop': ({ ask }) => ask({ jobType: 'all' }),
  },
  byHand: {
    mistake: async (dialog) => {
      await dialog.chooseType('job', 'string');
      await dialog.typeValue('job', 'the first');
      await dialog.tells('job', words('stop', 'invalid.job'));
    },
    correct: async (dialog) => {
      await dialog.typeValue('job', '12');
      await dialog.isSilent('job');
      await dialog.chooseType('job', words('stop', 'everything.job'));
    },
    kept: { job: '', jobType: 'all' },
    answers: [{ payload: /stopped: /, summary: /home has no jobs to stop\./ }],
    status: /^nothing to stop$/,
  },
  states: [{ job: ['str', 'x'] }],
};
