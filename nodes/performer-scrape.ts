import type { NodeAPI } from 'node-red';
import { actionNode } from '../src/flow/action';
import { number, performer, plain, selection } from '../src/flow/input';
import { nameOf, performerFields, scrapePerformer } from '../src/operations/scrape-performer';

/** stash-performer-scrape: the attributes of one performer; who is not found leaves on the second output. */
export = (RED: NodeAPI): void => {
  RED.nodes.registerType(
    'stash-performer-scrape',
    actionNode(RED, {
      inputs: {
        performer: performer('performer', { value: 'payload', type: 'msg' }),
        fields: selection('fields', performerFields),
        source: plain('source'),
        listMaxAge: number('listMaxAge', 10),
      },
      ask: scrapePerformer,
      reply: (scraped, input) => {
        const { operation } = scraped;
        const wanted = nameOf(input.performer);
        if ('performer' in scraped) {
          const { performer: payload, missing, name, byAlias } = scraped;
          const about = { operation, payload, missing, values: { performer: name, wanted } };
          return byAlias ? { ...about, outcome: 'foundByAlias' } : { ...about, outcome: 'found' };
        }
        const { candidates, reason, fitting } = scraped;
        const about = { output: 1, operation, payload: candidates, stash: { reason } };
        const count = reason === 'AMBIGUOUS' ? fitting : candidates.length;
        const values = { performer: wanted, count };
        return reason === 'NOT_FOUND' && fitting > 0
          ? { ...about, outcome: 'noPage', values }
          : { ...about, outcome: reason, values };
      },
    }),
  );
};
