import {
  actionNode,
  detail,
  endOf,
  jobInputs,
  type NodeRED,
  number,
  startOf,
  texts,
  ticked,
} from '../src/flow';
import type { NewContent } from '../src/operations/new-content';
import { scan, scanOptions } from '../src/operations/scan';
import type words from './locales/en-US/scan.json';

/** stash-scan: scans the library or some of its folders for new files. */
export = (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-scan',
    actionNode(RED, {
      inputs: {
        paths: texts('paths', 'library'),
        options: ticked(scanOptions),
        ...jobInputs,
        listNew: number('listNew', 0),
      },
      run: scan,
      reply: ({ operation, job, isIdle, found, because = '', missing = [] }, { paths }) => {
        const what = subjectOf(RED, paths);
        if (!('description' in job)) return { operation, ...startOf(job, what) };
        const end = endOf(job, what);
        const about = {
          operation,
          missing,
          payload: found === undefined ? job : { ...job, new: found },
          details: [...whatIsNew(found, because), ...end.details],
        };
        // The server reports the same for an empty folder and for a missing one.
        if (isIdle && job.status === 'FINISHED') {
          return { ...end, ...about, outcome: 'noFiles', status: 'noFiles', isBad: true };
        }
        return { ...end, ...about };
      },
    }),
  );
};

/** Returns the scan as the subject of a sentence. */
function subjectOf(RED: NodeRED<typeof words>, paths: readonly string[] | null): string {
  if (!paths) return RED._('what.library');
  const { length: count, 0: path = '' } = paths;
  return count === 1 ? RED._('what.path', { path }) : RED._('what.paths', { count });
}

/** Returns the number of new items of each kind, or why it is unknown, for the summary. */
function whatIsNew(found: NewContent | null | undefined, because: string) {
  if (found === undefined) return [];
  if (found === null) return [detail('newUnknown', { because })];
  const details = (['scenes', 'images', 'galleries'] as const).flatMap((kind) => {
    const { count = 0 } = found[kind] ?? {};
    return count > 0 ? [detail(kind, { count })] : [];
  });
  return details.length > 0 ? details : [detail('nothingNew')];
}
