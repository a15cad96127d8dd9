import { actionNode, choice, detail, type NodeRED } from '../../src/flow';
import { type Saved, savePerformer } from '../../src/operations/performers';
import type words from './words/en-US.json';
import { performerToSave } from './inputs';

/** stash-performer-save: saves one performer in Stash; sends the candidates to the second output if several fit. */
export default (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-performer-save',
    actionNode(RED, {
      inputs: {
        performer: performerToSave('performer', { value: 'payload', type: 'msg' }),
        existing: choice('existing', ['fill', 'replace', 'keep']),
      },
      run: savePerformer,
      reply: (saved, { performer, existing }) => {
        const { operation } = saved;
        if ('candidates' in saved) {
          const { candidates: payload } = saved;
          const values = { performer: performer.name ?? '', count: payload.length };
          // With the id of a candidate, this performer can be sent to the node again.
          const stash = { reason: 'AMBIGUOUS', performer };
          return { output: 1, operation, outcome: 'AMBIGUOUS', payload, values, stash };
        }
        const { id, name, created, changed, missing, unusable, pictureFault, kept, adopted } = saved;
        const others = unusable.filter((field) => field !== 'picture' || !pictureFault);
        return {
          operation,
          outcome: savedOutcome(saved, existing),
          payload: { id, created, changed },
          missing,
          values: { performer: name, count: changed.length },
          details: [
            ...(kept.length > 0 ? [detail('kept', { fields: kept.join(', ') })] : []),
            ...(others.length > 0 ? [detail('unusable', { fields: others.join(', ') })] : []),
            ...(pictureFault ? [detail(pictureFault)] : []),
          ],
          stash: { ...(unusable.length > 0 && { unusable }), ...(adopted && { adopted }) },
        };
      },
    }),
  );
};

function savedOutcome(
  { created, changed, missing, unusable, kept }: Saved,
  existing: 'fill' | 'replace' | 'keep',
) {
  if (created) return 'added';
  if (existing === 'keep') return 'kept';
  if (changed.length === 0) {
    return [missing, unusable, kept].some(({ length }) => length > 0) ? 'nothing' : 'unchanged';
  }
  return existing === 'fill' ? 'filled' : 'replaced';
}
