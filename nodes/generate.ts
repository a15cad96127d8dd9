import {
  actionNode,
  checkboxes,
  type FindText,
  jobInputs,
  type NodeRED,
  replyOfTask,
  sceneIds,
  texts,
  ticked,
} from '../src/flow';
import { generate, generateKinds, generateOptions } from '../src/operations/generate';
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
      reply: (done, { paths, sceneIDs }, text) => {
        const count = done.items?.known.length ?? 0;
        const what = sceneIDs ? text('what.scenes', { count }) : subjectOf(text, paths);
        return replyOfTask(done, what, sceneIDs?.[0]);
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
