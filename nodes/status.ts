import { actionNode, type NodeRED, selection } from '../src/flow';
import { furtherFields, status, statusFields } from '../src/operations/status';
import { redactTo } from '../src/redact';
import type words from './locales/en-US/status.json';

/** stash-status: returns the server's status, with the selected fields. */
export = (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-status',
    actionNode(RED, {
      inputs: { fields: selection('fields', [...statusFields, ...furtherFields], statusFields) },
      run: status,
      reply: ({ operation, status, missing, version }) => {
        const { jobs } = status;
        const stash = { ...(version !== undefined && { version }) };
        const reported = typeof status.status === 'string' ? redactTo(status.status, 60) : '';
        const values = { status: reported, short: redactTo(reported, 20), count: jobs?.length ?? 0 };
        const about = { operation, payload: status, missing, stash, values };
        if (reported === '') return jobs ? { ...about, outcome: 'queue' } : { ...about, outcome: 'answered' };
        if (reported === 'SETUP') return { ...about, outcome: 'setup', isBad: true };
        if (reported === 'NEEDS_MIGRATION') return { ...about, outcome: 'migration', isBad: true };
        // An unknown status leaves no room for the jobs.
        const room = reported === 'OK' ? {} : { status: 'other' as const };
        return jobs
          ? { ...about, ...room, outcome: 'toldWithQueue' }
          : { ...about, ...room, outcome: 'told' };
      },
    }),
  );
};
