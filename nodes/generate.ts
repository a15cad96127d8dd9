import type { NodeAPI } from 'node-red';
import { actionNode } from '../src/flow/action';
import { checkboxes } from '../src/flow/input';
import { generate, generateKinds } from '../src/operations/generate';

/** stash-generate: starts to generate the chosen kinds of content. */
export = (RED: NodeAPI): void => {
  RED.nodes.registerType(
    'stash-generate',
    actionNode(RED, {
      inputs: { kinds: checkboxes(generateKinds) },
      ask: generate,
      reply: ({ operation, job }) => ({
        operation,
        payload: job,
        outcome: 'started',
        values: { job: job.id ?? '–' },
      }),
    }),
  );
};
