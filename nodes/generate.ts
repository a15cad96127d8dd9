import type { NodeAPI } from 'node-red';
import { actionNode } from '../src/flow/action';
import { checkbox, checkboxes, choice, ids, minutes, texts, ticked } from '../src/flow/input';
import { detailsOf, endOf, isBad, valuesOf } from '../src/flow/job-words';
import { generate, generateKinds, generateOptions } from '../src/operations/generate';

/** stash-generate: generates the chosen kinds of content. */
export = (RED: NodeAPI): void => {
  RED.nodes.registerType(
    'stash-generate',
    actionNode(RED, {
      inputs: {
        kinds: checkboxes(generateKinds),
        options: ticked(generateOptions),
        paths: texts('paths', 'library'),
        sceneIDs: ids('sceneIDs', 'all'),
        reply: choice('reply', ['started', 'finished']),
        sendFailed: checkbox('sendFailed'),
        waitLimit: minutes('waitLimit', 0),
        stalledAfter: minutes('stalledAfter', 10),
      },
      ask: generate,
      reply: ({ operation, job }, { paths, sceneIDs }) => {
        const { length: count, 0: path = '' } = sceneIDs ?? paths ?? [];
        if (job.status === 'STARTED') {
          const about = { operation, payload: job, values: { job: job.id ?? '–', count, path } };
          if (sceneIDs) return { ...about, outcome: 'forScenes' };
          return paths ? { ...about, outcome: 'forFolders' } : { ...about, outcome: 'started' };
        }
        const values = { ...valuesOf(job), count, path };
        const about = { operation, payload: job, details: detailsOf(job), values };
        const end = endOf(job);
        if (end !== 'finished') return { ...about, outcome: end, isBad: isBad(end) };
        if (sceneIDs) return { ...about, outcome: 'finishedForScenes' };
        return paths ? { ...about, outcome: 'finishedForFolders' } : { ...about, outcome: 'finished' };
      },
    }),
  );
};
