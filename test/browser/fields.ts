import assert from 'node:assert/strict';
import { words } from '../flow/words';
import type { Dialog } from './dialog';
import type { State } from './walkthrough';

/** States of a node that may wait for its job. */
export const finished: State = { reply: 'finished' };
export const mistakes: State = { waitLimit: '', stalledAfter: '', paths: ['str', ''] };

/** A list of fields without any, and then with some. */
export function fieldsTried(chosen: string[]) {
  return {
    mistake: noField,
    correct: (dialog: Dialog) => someFields(dialog, chosen),
    kept: { fields: chosen },
  };
}

export async function noField(dialog: Dialog): Promise<void> {
  await dialog.chooseField('none');
  await dialog.text(words('server', 'choices.least')).waitFor();
  assert.ok(await dialog.isFlagged('fields'));
}

export async function someFields(dialog: Dialog, chosen: string[]): Promise<void> {
  for (const field of chosen) await dialog.chooseField(field);
  await dialog.text(words('server', 'choices.least')).waitFor({ state: 'hidden' });
}
