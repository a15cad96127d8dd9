import { words } from '../support/words';
import type { Dialog } from './dialog';
import type { State } from './walkthrough';

/** States of a node that may wait for its job. */
export const finished: State = { reply: 'finished' };
export const mistakes: State = { waitLimit: '', stalledAfter: '' };

/** Returns the steps for a list of fields: first none, then some. */
export function fieldsTried(chosen: string[]) {
  return {
    mistake: noField,
    correct: (dialog: Dialog) => someFields(dialog, chosen),
    kept: { fields: chosen },
  };
}

export async function noField(dialog: Dialog): Promise<void> {
  await dialog.chooseNoField();
  await dialog.tells('fields', words('studios', 'invalid.fields'));
}

export async function someFields(dialog: Dialog, chosen: string[]): Promise<void> {
  for (const field of chosen) await dialog.chooseField(field);
  await dialog.isSilent('fields');
}
