import type { NodeAPI } from 'node-red';
import { actionNode } from '../src/flow/action';
import { texts, ticked } from '../src/flow/input';
import { scan, scanOptions } from '../src/operations/scan';

/** stash-scan: starts a scan for new files, of the library or of some of its folders. */
export = (RED: NodeAPI): void => {
  RED.nodes.registerType(
    'stash-scan',
    actionNode(RED, {
      inputs: { paths: texts('paths', 'library'), options: ticked(scanOptions) },
      ask: scan,
      reply: ({ operation, job }, { paths }) => {
        const values = { job: job.id ?? '–' };
        if (!paths) return { operation, payload: job, outcome: 'started', values };
        const { length: count, 0: path = '' } = paths;
        return { operation, payload: job, outcome: 'inFolders', values: { ...values, count, path } };
      },
    }),
  );
};
