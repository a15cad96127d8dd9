import type { NodeAPI } from 'node-red';
import { actionNode, addTrialRoute, type NodeRED, selection } from '../../src/flow';
import { documentedStudioFields, studioFields, studios } from '../../src/operations/library';
import type words from './words/en-US.json';

/** Without `checksum`, which servers lack since v0.24.0, and what the interface document lacks. */
const usual = documentedStudioFields.filter((field) => field !== 'checksum');

const inputs = { fields: selection('fields', studioFields, usual) };

/** stash-studios: returns all studios of the library, with the selected fields. */
export default (RED: NodeRED<typeof words>): void => {
  addTrialRoute(RED as NodeAPI, 'studios', {
    inputs,
    run: studios,
    preview: ({ studios, missing }) => ({ list: studios, missing }),
  });
  RED.nodes.registerType(
    'stash-studios',
    actionNode(RED, {
      inputs,
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
