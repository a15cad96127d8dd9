import { updateKinds } from '../src/contract/update';
import { actionNode, checkbox, choice, count, detail, fixed, type NodeRED } from '../src/flow';
import { update } from '../src/operations/update';
import type words from './locales/en-US/update.json';
import { changes, chosenIds } from './update.input';

const most = count('atMost', 1000);

/** stash-update: changes items of the library. */
export = (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-update',
    actionNode(RED, {
      inputs: {
        kind: choice('kind', updateKinds),
        ids: chosenIds('items', { value: 'payload', type: 'msg' }),
        changes: changes('changes'),
        create: checkbox('create'),
        atMost: fixed((config) => most.read(config) || Infinity),
        dryRun: checkbox('dryRun'),
      },
      run: update,
      reply: ({ operation, ids, unchanged, created, gone, reason }, { kind }, text) => ({
        operation,
        payload: { ids, unchanged, created, gone },
        ...(reason && { stash: { reason } }),
        outcome: reason === 'SKIPPED' ? 'skipped' : reason === 'DRY_RUN' ? 'dryRun' : 'updated',
        values: { count: ids.length, what: text(`what.${kind}`, { count: ids.length }) },
        details: [
          ...(unchanged.length > 0 ? [detail('unchanged', { count: unchanged.length })] : []),
          ...(created.length > 0
            ? [detail('created', { names: created.map(({ name }) => name).join(', ') })]
            : []),
          ...(gone.length > 0 ? [detail('gone', { count: gone.length })] : []),
        ],
      }),
    }),
  );
};
