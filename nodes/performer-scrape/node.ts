import { documentedFields, performerFields } from '../../src/contract/performers';
import { actionNode, detail, type NodeRED, number, optionalText, selection } from '../../src/flow';
import { scrapePerformer, wantedName } from '../../src/operations/performers';
import type words from './words/en-US.json';
import { performer } from './inputs';

/** stash-performer-scrape: looks up one performer; sends candidates to the second output. */
export default (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-performer-scrape',
    actionNode(RED, {
      inputs: {
        performer: performer('performer', { value: 'payload', type: 'msg' }),
        fields: selection('fields', performerFields, documentedFields),
        source: optionalText('source'),
        listMaxAge: number('listMaxAge', 10),
      },
      run: scrapePerformer,
      reply: (scraped, input) => {
        const { operation } = scraped;
        const wanted = wantedName(input.performer);
        if ('performer' in scraped) {
          const { performer: payload, missing, name, byAlias } = scraped;
          const outcome = byAlias ? 'foundByAlias' : 'found';
          const details = payload.picture === null ? [detail('withoutPicture')] : [];
          return { operation, outcome, payload, missing, values: { performer: name, wanted }, details };
        }
        const { candidates: payload, reason, fitting } = scraped;
        const count = reason === 'AMBIGUOUS' ? fitting : payload.length;
        const outcome = missedOutcome(reason, { listed: payload.length, fitting });
        const values = { performer: wanted, count };
        return { output: 1, operation, outcome, payload, values, stash: { reason } };
      },
    }),
  );
};

/** @param found the number of names that the site lists, and of those that match. */
function missedOutcome(
  reason: 'NOT_FOUND' | 'AMBIGUOUS',
  { listed, fitting }: { listed: number; fitting: number },
) {
  if (reason === 'AMBIGUOUS') return fitting > 1 ? reason : 'mixedUp';
  if (fitting > 0) return 'noPage';
  return listed > 0 ? reason : 'noMatch';
}
