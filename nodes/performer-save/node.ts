import type { NodeAPI } from 'node-red';
import { actionNode, addTrialRoute, choice, detail, type NodeRED, type Preview } from '../../src/flow';
import {
  type PerformerToSave,
  previewSave,
  type Saved,
  savePerformer,
} from '../../src/operations/performers';
import type words from './words/en-US.json';
import { performerToSave, withoutPicture } from './inputs';

const PERFORMER = ['performer', { value: 'payload', type: 'msg' }] as const;
const inputs = {
  performer: performerToSave(...PERFORMER),
  withoutPicture: withoutPicture(...PERFORMER),
  existing: choice('existing', ['fill', 'replace', 'keep']),
};

/** stash-performer-save: saves one performer in Stash; sends the candidates to the second output if several fit. */
export default (RED: NodeRED<typeof words>): void => {
  addTrialRoute(RED as NodeAPI, 'performer-save', {
    inputs,
    run: previewSave,
    preview: (found, { performer, withoutPicture }) => previewOf(found, performer, withoutPicture),
  });
  RED.nodes.registerType(
    'stash-performer-save',
    actionNode(RED, {
      inputs,
      run: savePerformer,
      reply: (saved, { performer, withoutPicture, existing }) => {
        const { operation } = saved;
        if ('candidates' in saved) {
          const { candidates: payload } = saved;
          const values = { performer: performer.name ?? '', count: payload.length };
          // With the id of a candidate, this performer can be sent to the node again.
          const stash = { reason: 'AMBIGUOUS', performer };
          return { output: 1, operation, outcome: 'AMBIGUOUS', payload, values, stash };
        }
        const { id, name, created, changed, missing, unusable, adopted } = saved;
        return {
          operation,
          outcome: savedOutcome(saved, existing, fieldsIn(performer)),
          payload: { id, created, changed },
          missing,
          values: { performer: name, count: changed.length || fieldsIn(performer) },
          details: detailsOf(saved, withoutPicture),
          stash: { ...(unusable.length > 0 && { unusable }), ...(adopted && { adopted }) },
        };
      },
    }),
  );
};

/** Returns why not everything is written that the release could hold. A performer that Stash had may have a picture. */
function detailsOf(
  { created, kept, unusable, pictureFault }: Pick<Saved, 'created' | 'kept' | 'unusable' | 'pictureFault'>,
  isWithoutPicture: boolean,
) {
  const others = unusable.filter((field) => field !== 'picture' || !pictureFault);
  return [
    ...(kept.length > 0 ? [detail('kept', { fields: kept.join(', ') })] : []),
    ...(others.length > 0 ? [detail('unusable', { fields: others.join(', ') })] : []),
    ...(pictureFault ? [detail(pictureFault)] : []),
    ...(created && isWithoutPicture ? [detail('withoutPicture')] : []),
  ];
}

function previewOf(
  found: Awaited<ReturnType<typeof previewSave>>,
  performer: PerformerToSave,
  isWithoutPicture: boolean,
): Preview {
  if ('candidates' in found) return { list: found.candidates };
  const { name, created, written, missing } = found;
  const columns = Object.keys(written);
  const isChanging = columns.length > 0;
  const fields = Object.fromEntries(
    Object.entries(written).map(([field, value]) => [field, textOf(field, value)]),
  );
  return {
    changes: [{ title: name, fields }],
    columns: isChanging ? columns : Object.keys(performer),
    count: 1,
    changing: isChanging ? 1 : 0,
    created: created ? [{ kind: 'performer', name }] : [],
    missing,
    hints: detailsOf(found, isWithoutPicture),
  };
}

/** The start of a data URL says enough of a picture. */
const LONGEST_PICTURE = 40;

function textOf(field: string, value: unknown): string {
  const text = [value].flat().join(', ');
  return field === 'picture' && text.length > LONGEST_PICTURE ? `${text.slice(0, LONGEST_PICTURE)}…` : text;
}

/** Returns how many fields are given, beside what the performer is found by. */
function fieldsIn({ id: _id, name: _name, ...fields }: PerformerToSave): number {
  return Object.keys(fields).length;
}

function savedOutcome(
  { created, changed, missing, unusable, kept }: Saved,
  existing: 'fill' | 'replace' | 'keep',
  given: number,
) {
  if (created) return 'added';
  if (existing === 'keep' || (changed.length === 0 && given === 0)) return 'kept';
  if (changed.length === 0) {
    return [missing, unusable, kept].some(({ length }) => length > 0) ? 'nothing' : 'unchanged';
  }
  return existing === 'fill' ? 'filled' : 'replaced';
}
