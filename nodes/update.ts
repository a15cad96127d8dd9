import { updateKinds } from '../src/contract/update';
import { actionNode, checkbox, choice, detail, type NodeRED } from '../src/flow';
import { update } from '../src/operations/update';
import type words from './locales/en-US/update.json';
import { atMost, edits } from './update.input';

/** stash-update: changes items of the library. */
export = (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-update',
    actionNode(RED, {
      inputs: {
        kind: choice('kind', updateKinds),
        edits,
        create: checkbox('create'),
        atMost,
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
