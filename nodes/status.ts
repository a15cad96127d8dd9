import type { NodeAPI } from 'node-red';
import { actionNode } from '../src/flow/action';
import { selection } from '../src/flow/input';
import { status, statusFields } from '../src/operations/status';

/** stash-status: the server's status, with the chosen fields. */
export = (RED: NodeAPI): void => {
  RED.nodes.registerType(
    'stash-status',
    actionNode(RED, {
      inputs: { fields: selection('fields', statusFields) },
      ask: status,
      reply: ({ operation, status, missing, version }) => ({
        operation,
        payload: status,
        missing,
        ...(status.status === undefined
          ? { outcome: 'answered' }
          : { outcome: 'told', values: { status: String(status.status) } }),
        ...(version !== undefined && { stash: { version } }),
      }),
    }),
  );
};
