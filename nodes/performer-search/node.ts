import type { NodeAPI } from 'node-red';
import {
  actionNode,
  addTrialRoute,
  checkbox,
  NAME_TYPES,
  type NodeRED,
  optionalText,
  text,
} from '../../src/flow';
import { searchPerformers } from '../../src/operations/performers';
import type words from './words/en-US.json';

const inputs = {
  query: text('query', { value: 'payload', type: 'msg' }, NAME_TYPES),
  source: optionalText('source'),
  split: checkbox('split'),
};

/**
 * stash-performer-search: finds the names at the external site that match a name, an alias, or a part of either. Sends all in
 * one message, or one message for each.
 */
export default (RED: NodeRED<typeof words>): void => {
  addTrialRoute(RED as NodeAPI, 'performer-search', {
    inputs,
    run: searchPerformers,
    preview: ({ matches }) => ({ list: matches }),
  });
  RED.nodes.registerType(
    'stash-performer-search',
    actionNode(RED, {
      inputs,
      run: searchPerformers,
      reply: ({ operation, matches }, { query, split }) => {
        const values = { query, count: matches.length };
        const about = { operation, outcome: 'found' as const, values };
        return split
          ? {
              ...about,
              sequence: matches.map((match) => ({ payload: match.name, stash: { matches: [match] } })),
            }
          : { ...about, payload: matches.map(({ name }) => name), stash: { matches } };
      },
    }),
  );
};
