import type { NodeAPI } from 'node-red';
import { actionNode } from '../src/flow/action';
import { checkboxes, ids, texts, ticked } from '../src/flow/input';
import { generate, generateKinds, generateOptions } from '../src/operations/generate';

/** stash-generate: starts to generate the chosen kinds of content. */
export = (RED: NodeAPI): void => {
  RED.nodes.registerType(
    'stash-generate',
    actionNode(RED, {
      inputs: {
        kinds: checkboxes(generateKinds),
        options: ticked(generateOptions),
        paths: texts('paths', 'library'),
        sceneIDs: ids('sceneIDs', 'all'),
      },
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
