import type { NodeAPI } from 'node-red';
import { actionNode } from '../src/flow/action';
import { scan } from '../src/operations/scan';

/** stash-scan: starts a scan of the library for new files. */
export = (RED: NodeAPI): void => {
  RED.nodes.registerType(
    'stash-scan',
    actionNode(RED, {
      inputs: {},
      ask: scan,
      reply: ({ operation, job }) => ({
        operation,
        payload: job,
        outcome: 'started',
        values: { job: job.id ?? '–' },
      }),
    }),
  );
};
