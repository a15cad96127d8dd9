import type { NodeAPI } from 'node-red';
import { actionNode } from '../src/flow/action';
import { selection } from '../src/flow/input';
import { furtherFields, status, statusFields } from '../src/operations/status';

/** stash-status: the server's status, with the chosen fields. */
export = (RED: NodeAPI): void => {
  RED.nodes.registerType(
    'stash-status',
    actionNode(RED, {
      inputs: { fields: selection('fields', [...statusFields, ...furtherFields], statusFields) },
      ask: status,
      reply: ({ operation, status, missing, version }) => {
        const { jobs } = status;
        const stash = { ...(version !== undefined && { version }) };
        const values = { status: String(status.status), count: jobs?.length ?? 0 };
        const about = { operation, payload: status, missing, stash, values };
        if (status.status === undefined) {
          return jobs ? { ...about, outcome: 'queue' } : { ...about, outcome: 'answered' };
        }
        return jobs ? { ...about, outcome: 'toldWithQueue' } : { ...about, outcome: 'told' };
      },
    }),
  );
};
