import {
  actionNode,
  detail,
  endOf,
  type FindText,
  jobInputs,
  type NodeRED,
  number,
  plainText,
  seconds,
  startOf,
  texts,
  ticked,
} from '../../src/flow';
import {
  type Collected,
  type NewContent,
  ScanCollector,
  scanOptions,
  type Settled,
  usualTemporaryNames,
} from '../../src/operations/scan';
import words from './words/en-US.json';
import { pastTime } from './inputs';

/** stash-scan: scans the library or some of its folders for new files. */
export default (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-scan',
    actionNode(RED, () => {
      const collector = new ScanCollector();
      return {
        inputs: {
          paths: texts('paths', 'library'),
          options: ticked(scanOptions),
          minModTime: pastTime('minModTime', 'any'),
          settle: seconds('settle', 0),
          temporaryNames: plainText('temporaryNames', usualTemporaryNames),
          collect: seconds('collect', 0),
          collectAtMost: seconds('collectAtMost', 300),
          ...jobInputs,
          listNew: number('listNew', 5),
        },
        run: (server, input, call) => collector.scan(server, input, call),
        reply: (
          { operation, job, outcome, found, failure = '', missing = [], replacedBy, collected, settled },
          { paths },
          text,
        ) => {
          const what = collected ? subjectOfAll(text, collected) : subjectOf(text, replacedBy ?? paths);
          const common = {
            operation,
            isShared: collected !== undefined,
            stash: {
              ...(collected && { collected: { messages: collected.messages, paths: collected.paths } }),
              ...(settled && { settled }),
            },
          };
          if (job.status === 'SKIPPED') {
            const details = whatSettled(settled);
            return { ...common, payload: job, outcome: 'nothingLeft', isBad: true, values: {}, details };
          }
          if (!('description' in job)) {
            const start = startOf(job, what);
            return { ...common, ...start, details: [...whatSettled(settled), ...start.details] };
          }
          const end = endOf(job, what);
          return {
            ...common,
            ...end,
            ...(outcome && { outcome, status: outcome }),
            ...(outcome === 'noFiles' && { isBad: true }),
            missing,
            payload: found === undefined ? job : { ...job, new: found },
            details: [
              ...(outcome === 'nothingChanged' ? [] : whatIsNew(found, failure)),
              ...whatSettled(settled),
              ...end.details,
            ],
          };
        },
      };
    }),
  );
};

/** Returns the scan for several messages as the subject of a sentence. */
function subjectOfAll(
  text: FindText<typeof words>,
  { paths, messages: count, areFolders }: Collected,
): string {
  const isSeveral = paths !== null && paths.length > 1;
  const what =
    isSeveral && areFolders ? text('what.folders', { count: paths.length }) : subjectOf(text, paths);
  return count === 1 ? what : text('what.collected', { what, count });
}

/** Returns the scan as the subject of a sentence. */
function subjectOf(text: FindText<typeof words>, paths: readonly string[] | null): string {
  if (!paths) return text('what.library');
  const { length: count, 0: path = '' } = paths;
  return count === 1 ? text('what.path', { path }) : text('what.paths', { count });
}

/** Returns how many paths this machine could not see, and how many vanished, for the summary. */
function whatSettled({ unseen, gone }: Settled = { complete: 0, unseen: 0, gone: 0 }) {
  return [
    ...(unseen > 0 ? [detail('unseen', { count: unseen })] : []),
    ...(gone > 0 ? [detail('gone', { count: gone })] : []),
  ];
}

/** Returns the number of new items of each kind, or why it is unknown, for the summary. */
function whatIsNew(found: NewContent | null | undefined, failure: string) {
  if (found === undefined) return [];
  if (found === null) return [detail('newUnknown', { because: failure })];
  const details = (['scenes', 'images', 'galleries'] as const).flatMap((kind) => {
    const { count = 0 } = found[kind] ?? {};
    return count > 0 ? [detail(kind, { count })] : [];
  });
  return details.length > 0 ? details : [detail('nothingNew')];
}
