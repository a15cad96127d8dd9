import { actionNode, type NodeRED, selection } from '../src/flow';
import { studioFields, studios } from '../src/operations/studios';
import type words from './locales/en-US/studios.json';

/** Without `checksum`, which servers lack since v0.24.0. */
const usual = studioFields.filter((field) => field !== 'checksum');

/** stash-studios: returns all studios of the library, with the selected fields. */
export = (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-studios',
    actionNode(RED, {
      inputs: { fields: selection('fields', studioFields, usual) },
      run: studios,
      reply: ({ operation, studios, missing }) => ({
        operation,
        payload: studios,
        missing,
        outcome: 'listed',
        values: { count: studios.length },
      }),
    }),
  );
};
