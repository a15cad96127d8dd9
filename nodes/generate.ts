import {
  actionNode,
  checkboxes,
  detail,
  endOf,
  jobInputs,
  type NodeRED,
  startOf,
  texts,
  ticked,
} from '../src/flow';
import { generate, generateKinds, generateOptions } from '../src/operations/generate';
import { sceneIds } from './generate.input';
import type words from './locales/en-US/generate.json';

/** stash-generate: generates the chosen kinds of content. */
export = (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-generate',
    actionNode(RED, {
      inputs: {
        kinds: checkboxes(generateKinds),
        options: ticked(generateOptions),
        paths: texts('paths', 'library'),
        sceneIDs: sceneIds('sceneIDs', 'all'),
        ...jobInputs,
      },
      run: generate,
      reply: ({ operation, job, isIdle, scenes }, { paths, sceneIDs }) => {
        const { known = 0, unknown = 0 } = scenes ?? {};
        if (job.status === 'SKIPPED') {
          const values = { count: unknown, scene: sceneIDs?.[0] ?? '' };
          return { operation, payload: job, outcome: 'noScenes', isBad: unknown > 0, values };
        }
        const [path = ''] = paths ?? [];
        const what = sceneIDs
          ? RED._('what.scenes', { count: known })
          : paths
            ? RED._('what.folders', { count: paths.length, path })
            : RED._('what.library');
        const missed = unknown > 0 ? [detail('unknownScenes', { count: unknown })] : [];
        if (job.status === 'STARTED') {
          const start = startOf(job, what);
          return { operation, ...start, details: [...start.details, ...missed] };
        }
        const end = endOf(job, what);
        const about = { operation, ...end, details: [...missed, ...end.details] };
        // A job that fails before it has counted its work shows no progress either.
        if (isIdle && job.status === 'FINISHED' && !job.problemCount) {
          return { ...about, outcome: 'idle', status: 'idle' };
        }
        return about;
      },
    }),
  );
};
