import type { NodeAPI } from 'node-red';
import { actionNode } from '../src/flow/action';
import { plain, selection, text } from '../src/flow/input';
import { performerFields, scrapePerformer } from '../src/operations/scrape-performer';

/** stash-performer-scrape: the attributes of one performer; who is not found leaves on the second output. */
export = (RED: NodeAPI): void => {
  RED.nodes.registerType(
    'stash-performer-scrape',
    actionNode(RED, {
      inputs: {
        performer: text('performer', { value: 'payload', type: 'msg' }),
        fields: selection('fields', performerFields),
        source: plain('source'),
      },
      ask: scrapePerformer,
      reply: (scraped, { performer }) => {
        const { operation } = scraped;
        if ('performer' in scraped) {
          const { performer: payload, missing } = scraped;
          return { operation, payload, missing, outcome: 'found', values: { performer } };
        }
        const { candidates, reason } = scraped;
        const values = { performer, count: candidates.length };
        return { output: 1, operation, payload: candidates, outcome: reason, values, stash: { reason } };
      },
    }),
  );
};
