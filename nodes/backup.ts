import type { NodeAPI } from 'node-red';
import { actionNode } from '../src/flow/action';
import { checkbox } from '../src/flow/input';
import { backup } from '../src/operations/backup';

/** stash-backup: makes the server back its database up, on its own disk or as a download. */
export = (RED: NodeAPI): void => {
  RED.nodes.registerType(
    'stash-backup',
    actionNode(RED, {
      inputs: { download: checkbox('download') },
      ask: backup,
      reply: ({ operation, seconds, link }) => {
        const values = { seconds: Math.round(seconds * 10) / 10 };
        return link === null
          ? { operation, payload: { seconds, checked: false }, outcome: 'made', values }
          : { operation, payload: { link }, outcome: 'ready', values };
      },
    }),
  );
};
