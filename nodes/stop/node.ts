import { actionNode, detail, type NodeRED } from '../../src/flow';
import { stop } from '../../src/operations/tasks';
import { titleOf } from '../../src/records';
import type words from './words/en-US.json';
import { job } from './inputs';

/** stash-stop: stops one job of the server, or all jobs. */
export default (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-stop',
    actionNode(RED, {
      inputs: { job: job('job', { value: 'payload', type: 'msg' }, 'all') },
      run: stop,
      // What waited for the end of a pause does so no more.
      follow: ({ jobs: { pause } }, { clear }) => {
        const onChange = (isOn: boolean) => {
          if (!isOn) clear('waiting');
        };
        onChange(pause.isOn);
        return pause.subscribe(onChange);
      },
      reply: ({ operation, stopped, interrupted, waiting }, { job }) => {
        const { length: count, 0: first } = stopped;
        const id = first?.id ?? job?.id ?? '–';
        const values = {
          count,
          job: id,
          shown: shortened(id),
          description: titleOf(first?.description ?? ''),
          waiting,
        };
        // They start their jobs after all.
        const isBad = waiting > 0;
        const about = {
          operation,
          payload: { stopped },
          values,
          isBad,
          ...(isBad && { status: 'waiting' as const }),
        };
        if (count === 1 && !isBad) return { ...about, outcome: interrupted === 1 ? 'ended' : 'stoppedOne' };
        const details = [
          ...(interrupted > 0 ? [detail('held', { count: interrupted })] : []),
          ...(isBad ? [detail('waiting', { count: waiting })] : []),
        ];
        if (count > 0) return { ...about, outcome: 'stopped', details };
        if (isBad) return { ...about, outcome: 'waiting', values: { ...values, count: waiting } };
        if (job === null) return { ...about, outcome: 'nothing' };
        return { ...about, outcome: 'notThere', isBad: true };
      },
    }),
  );
};

/** The longest ID in the status: that of a job has few digits, but that of a timestamp thirteen. */
const LONGEST_ID = 6;

function shortened(id: string): string {
  return id.length > LONGEST_ID ? `${id.slice(0, 4)}…` : id;
}
