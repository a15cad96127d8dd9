import {
  actionNode,
  type FindText,
  jobInputs,
  itemIds,
  markerIds,
  type NodeRED,
  replyOfTask,
  sceneIds,
  texts,
  ticked,
} from '../../src/flow';
import { generate, generateOptions } from '../../src/operations/tasks';
import { kinds, previewOptions } from './inputs';
import type words from './words/en-US.json';

/** stash-generate: generates the chosen kinds of content. */
export default (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-generate',
    actionNode(RED, {
      inputs: {
        kinds,
        options: ticked(generateOptions),
        paths: texts('paths', 'library'),
        sceneIDs: sceneIds('sceneIDs', 'all'),
        markerIDs: markerIds('markerIDs', 'none'),
        imageIDs: itemIds('imageIDs', 'none', 'image'),
        galleryIDs: itemIds('galleryIDs', 'none', 'gallery'),
        previewOptions,
        ...jobInputs,
      },
      run: generate,
      reply: (done, { paths, sceneIDs, imageIDs, galleryIDs }, text) => {
        const { chosen = {} } = done;
        const all = CHOSEN.flatMap((kind) =>
          chosen[kind] === undefined ? [] : [{ kind, count: chosen[kind] }],
        );
        const named = all.find(({ count }) => count > 0) ?? all[0];
        const what = named ? text(`what.${named.kind}`, { count: named.count }) : subjectOf(text, paths);
        return replyOfTask(done, what, [sceneIDs, imageIDs, galleryIDs].find((ids) => ids)?.[0]);
      },
    }),
  );
};

/** What can be chosen: the first in the library is the subject of a sentence. */
const CHOSEN = ['scenes', 'images', 'galleries', 'markers'] as const;

/** Returns the job as the subject of a sentence. */
function subjectOf(text: FindText<typeof words>, paths: readonly string[] | null): string {
  if (!paths) return text('what.library');
  const { length: count, 0: path = '' } = paths;
  return count === 1 ? text('what.path', { path }) : text('what.paths', { count });
}
