import type { NodeAPI } from 'node-red';
import { actionNode } from '../src/flow/action';
import { plain, text } from '../src/flow/input';
import { searchPerformers } from '../src/operations/search-performers';

/** stash-performer-search: the names at the external site that match a name, an alias, or a part of either. */
export = (RED: NodeAPI): void => {
  RED.nodes.registerType(
    'stash-performer-search',
    actionNode(RED, {
      inputs: { query: text('query', { value: 'payload', type: 'msg' }), source: plain('source') },
      ask: searchPerformers,
      reply: ({ operation, matches }, { query }) => ({
        operation,
        payload: matches.map(({ name }) => name),
        outcome: 'found',
        values: { query, count: matches.length },
        stash: { matches },
      }),
    }),
  );
};
