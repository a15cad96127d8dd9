import {
  actionNode,
  detail,
  detailsOf,
  endOf,
  isBad,
  isBrief,
  jobInputs,
  type NodeRED,
  number,
  startOf,
  texts,
  ticked,
  valuesOf,
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
        const { length: count, 0: path = '' } = paths ?? [];
        const where = paths ? 'InFolders' : '';
        if (!('description' in job)) {
          const { how, job: id, payload, details } = startOf(job);
          const values = { job: id, count, path };
          return { operation, payload, details, values, outcome: `${how}${where}` };
        }
        const payload = found === undefined ? job : { ...job, new: found };
        const details = [...whatIsNew(found, because), ...detailsOf(job)];
        const about = { operation, payload, details, missing, values: { ...valuesOf(job), count, path } };
        const end = endOf(job);
        if (end !== 'finished') return { ...about, outcome: end, isBad: isBad(end) };
        // The server says so of an empty folder, and of one that does not exist.
        if (isIdle) return { ...about, outcome: `noFiles${where}`, isBad: true };
        return { ...about, outcome: `finished${where}`, ...(isBrief(job) && ({ status: 'done' } as const)) };
      },
    }),
  );
};

/** Says how much of each kind is new, or why that is not known. */
function whatIsNew(found: NewContent | null | undefined, because: string) {
  if (found === undefined) return [];
  if (found === null) return [detail('newUnknown', { because })];
  const details = (['scenes', 'images', 'galleries'] as const).flatMap((kind) => {
    const { count = 0 } = found[kind] ?? {};
    return count > 0 ? [detail(kind, { count })] : [];
  });
  return details.length > 0 ? details : [detail('nothingNew')];
}
