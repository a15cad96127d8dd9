import {
  actionNode,
  checkboxes,
  detail,
  endOf,
  type FindText,
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
      reply: ({ operation, job, isIdle, scenes }, { paths, sceneIDs }, text) => {
        const { known = 0, unknown = 0 } = scenes ?? {};
        if (job.status === 'SKIPPED') {
          const values = { count: unknown, scene: sceneIDs?.[0] ?? '' };
          const outcome = unknown > 1 ? 'noScenes' : unknown > 0 ? 'noScene' : 'nothingNew';
          return { operation, payload: job, outcome, isBad: unknown > 0, values };
        }
        const what = sceneIDs ? text('what.scenes', { count: known }) : subjectOf(text, paths);
        const missed = unknown > 0 ? [detail('unknownScenes', { count: unknown })] : [];
        if (job.status === 'STARTED') {
          const start = startOf(job, what);
          return { operation, ...start, details: [...start.details, ...missed] };
        }
        const end = endOf(job, what);
        const about = { operation, ...end, details: [...missed, ...end.details] };
        // A job that fails before it has counted its work also shows no progress.
        if (isIdle && job.status === 'FINISHED' && !job.problemCount) {
          return { ...about, outcome: 'idle', status: 'idle' };
        }
        return about;
      },
    }),
  );
};

/** Returns the job as the subject of a sentence. */
function subjectOf(text: FindText<typeof words>, paths: readonly string[] | null): string {
  if (!paths) return text('what.library');
  const { length: count, 0: path = '' } = paths;
  return count === 1 ? text('what.path', { path }) : text('what.paths', { count });
}
