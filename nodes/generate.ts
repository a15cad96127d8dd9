import {
  actionNode,
  type FindText,
  jobInputs,
  markerIds,
  type NodeRED,
  replyOfTask,
  sceneIds,
  texts,
  ticked,
} from '../src/flow';
import { generate, generateOptions } from '../src/operations/tasks';
import { kinds, previewOptions } from './generate.input';
import type words from './locales/en-US/generate.json';

/** stash-generate: generates the chosen kinds of content. */
export = (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-generate',
    actionNode(RED, {
      inputs: {
        kinds,
        options: ticked(generateOptions),
        paths: texts('paths', 'library'),
        sceneIDs: sceneIds('sceneIDs', 'all'),
        markerIDs: markerIds('markerIDs', 'none'),
        previewOptions,
        ...jobInputs,
      },
      run: generate,
      reply: (done, { paths, sceneIDs }, text) => {
        const { items, markers } = done;
        const count = items?.known.length ?? 0;
        const what =
          count > 0 || (items && markers === undefined)
            ? text('what.scenes', { count })
            : markers !== undefined
              ? text('what.markers', { count: markers })
              : subjectOf(text, paths);
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
