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
      reply: ({ operation, job }, { paths, sceneIDs }) => {
        const values = { job: job.id ?? '–' };
        if (sceneIDs) {
          const { length: count } = sceneIDs;
          return { operation, payload: job, outcome: 'forScenes', values: { ...values, count } };
        }
        if (!paths) return { operation, payload: job, outcome: 'started', values };
        const { length: count, 0: path = '' } = paths;
        return { operation, payload: job, outcome: 'forFolders', values: { ...values, count, path } };
      },
    }),
  );
};
