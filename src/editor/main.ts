import * as editor from '.';
import { keepStillWhilePressed } from './pressed';

/** The code of one dialog, which gets this room by `require`, whatever the name. */
type Dialog = (require: () => typeof editor) => void;

declare global {
  interface Window {
    /** The dialogs that have loaded before this script; afterwards an object that runs each one at once. */
    stashDialogs?: { push: (dialog: Dialog) => unknown };
  }
}

keepStillWhilePressed();

// After an installation, the editor loads the dialogs of a package in any order.
const waiting = window.stashDialogs;
window.stashDialogs = { push: run };
if (Array.isArray(waiting)) (waiting as Dialog[]).forEach(run);

/** Runs a dialog. One that throws must not keep the others away. */
function run(dialog: Dialog): void {
  try {
    dialog(() => editor);
  } catch (error) {
    console.error(error);
  }
}
