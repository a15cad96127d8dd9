import { actionNode, type NodeRED } from '../src/flow';
import { stop } from '../src/operations/tasks';
import { titleOf } from '../src/records';
import type words from './locales/en-US/stop.json';
import { job } from './stop.input';

/** stash-stop: stops one job of the server, or all jobs. */
export = (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-stop',
    actionNode(RED, {
      inputs: { job: job('job', { value: 'payload', type: 'msg' }, 'all') },
      run: stop,
      reply: ({ operation, stopped }, { job }) => {
        const { length: count, 0: first } = stopped;
        const values = {
          count,
          job: first?.id ?? job?.id ?? '–',
          description: titleOf(first?.description ?? ''),
        };
        const about = { operation, payload: { stopped }, values };
        if (count === 1) return { ...about, outcome: 'stoppedOne' };
        if (count > 1) return { ...about, outcome: 'stopped' };
        return job === null ? { ...about, outcome: 'nothing' } : { ...about, outcome: 'notThere' };
      },
    }),
  );
};
