import type { EditorNode } from '../node-red';
import { words } from '../words';
import { showRows } from './rows';

/** Labels the outputs of a node whose first output is for the job, or for its result. */
export function jobOutputLabel(this: EditorNode, index: number): string {
  if (index > 0) return words('server:output.progress');
  return words(this['reply'] === 'finished' ? 'server:output.result' : 'server:output.job');
}

/**
 * Shows the rows about the end of a job only if the message waits for it. Progress then has its own output: the editor keeps
 * the wires when an output is added, and removes those of a removed output.
 */
export function prepareReply(node: EditorNode): void {
  const reply = $('#node-input-reply');
  reply
    .on('change', () => {
      const waits = reply.val() === 'finished';
      showRows(node, $('.stash-finished'), waits);
      $('#node-input-outputs').val(waits ? '2' : '1');
    })
    .trigger('change');
}
