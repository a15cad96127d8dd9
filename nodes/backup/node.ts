import type { NodeAPI } from 'node-red';
import { duration, formatBytes } from '../../src/contract/units';
import { actionNode, addFolderRoute, checkbox, count, detail, type NodeRED } from '../../src/flow';
import { backup, checkFolder, type FetchedBackup, removeLeftovers } from '../../src/operations/backup';
import { fileName, folder, mebibytes, onlyIf, ownIds, together } from './inputs';
import type words from './words/en-US.json';

const target = onlyIf('download', folder('folder'));

/** stash-backup: backs the server's database up to the server's own disk, a folder here, or the message. */
export default (RED: NodeRED<typeof words>): void => {
  addFolderRoute(RED as NodeAPI, 'stash-backup', target, checkFolder);
  RED.nodes.registerType(
    'stash-backup',
    actionNode(RED, {
      inputs: {
        download: checkbox('download'),
        includeBlobs: checkbox('includeBlobs'),
        folder: target,
        filename: onlyIf('download', fileName('filename')),
        overwrite: checkbox('overwrite'),
        retention: together({
          last: count('keep', 0),
          daily: count('keepDaily', 0),
          weekly: count('keepWeekly', 0),
          monthly: count('keepMonthly', 0),
        }),
        quickCheck: checkbox('quickCheck'),
        messageLimit: mebibytes('messageLimit', 64),
        owner: ownIds,
      },
      onStart: async (read) => {
        const { folder, owner } = await read({ folder: target, owner: ownIds });
        if (folder !== null) await removeLeftovers(folder, owner.node);
      },
      run: backup,
      reply: ({ operation, seconds, fetched }, { quickCheck }) => {
        const time = seconds < 0.1 ? [] : [detail('time', { time: duration(seconds) })];
        if (!fetched) {
          const details = [...time, detail('unverified')];
          return { operation, payload: { seconds, checked: false }, outcome: 'made', details };
        }
        const { path, filename, bytes, sha256, checked, pictures, schema } = fetched;
        const { content, lacksPictures, removed, trouble } = fetched;
        const isMissed = quickCheck && path !== null && !checked.includes('quickCheck');
        const about = {
          operation,
          values: { filename },
          details: [detail('size', { size: formatBytes(bytes) }), ...time, ...passed(fetched, isMissed)],
          missing: [...(lacksPictures ? ['includeBlobs'] : []), ...(isMissed ? ['quickCheck'] : [])],
          isBad: lacksPictures || trouble !== null,
        };
        const noPictures = { status: 'noPictures' } as const;
        const facts = { filename, bytes, sha256, seconds, checked, pictures, schema };
        if (content) {
          const stash = { backup: facts };
          return {
            ...about,
            payload: content,
            stash,
            outcome: 'inMessage',
            ...(lacksPictures && noPictures),
          };
        }
        const payload = { path, ...facts, ...(removed && { removed }) };
        return {
          ...about,
          payload,
          ...(trouble !== null && { stash: { rotation: { trouble } }, status: 'notRemoved' }),
          ...(lacksPictures && noPictures),
          outcome: 'saved',
        };
      },
    }),
  );
};

function passed(fetched: FetchedBackup, isMissed: boolean) {
  const { checked, removed, trouble } = fetched;
  return [
    detail('verified'),
    ...picturesOf(fetched),
    ...(checked.includes('quickCheck') ? [detail('quickChecked')] : []),
    ...(isMissed ? [detail('noQuickCheck')] : []),
    ...(removed && removed.length > 0 ? [detail('removed', { count: removed.length })] : []),
    ...(trouble !== null ? [detail('notRemoved', { trouble })] : []),
  ];
}

function picturesOf({ pictures, lacksPictures, lastPictures }: FetchedBackup) {
  const count = pictures ?? 0;
  if (!lacksPictures) return pictures === null ? [] : [detail('pictures', { count })];
  return [count > 0 ? detail('fewPictures', { count, last: lastPictures }) : detail('noPictures')];
}
