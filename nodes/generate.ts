import {
  actionNode,
  checkboxes,
  detail,
  detailsOf,
  endOf,
  isBad,
  isBrief,
  jobInputs,
  type NodeRED,
  startOf,
  texts,
  ticked,
  valuesOf,
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
        const { 0: path = '', length } = paths ?? [];
        const forWhat = sceneIDs ? 'ForScenes' : paths ? 'ForFolders' : '';
        const { known: count, unknown } = scenes ?? { known: length, unknown: 0 };
        if (job.status === 'SKIPPED') {
          const values = { count: unknown, scene: sceneIDs?.[0] ?? '' };
          return { operation, payload: job, outcome: 'noScenes', isBad: unknown > 0, values };
        }
        if (job.status === 'STARTED') {
          const { how, job: id, payload, details } = startOf(job);
          const about = { operation, payload, details, values: { job: id, count, path, unknown } };
          if (unknown > 0) return { ...about, outcome: 'forSomeScenes' };
          return { ...about, outcome: `${how}${forWhat}` };
        }
        const values = { ...valuesOf(job), count, path };
        const missed = unknown > 0 ? [detail('unknownScenes', { count: unknown })] : [];
        const about = { operation, payload: job, details: [...missed, ...detailsOf(job)], values };
        const end = endOf(job);
        if (end !== 'finished') return { ...about, outcome: end, isBad: isBad(end) };
        // A job that fails before it has counted its work shows no progress either.
        if (isIdle && !job.problemCount) return { ...about, outcome: `idle${forWhat}`, status: 'idle' };
        return {
          ...about,
          outcome: `finished${forWhat}`,
          ...(isBrief(job) && ({ status: 'done' } as const)),
        };
      },
    }),
  );
};
