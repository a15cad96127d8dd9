/** What waits until the mouse button is released, in its order; undefined while none is pressed. */
let waiting: (() => void)[] | undefined;

/** The events of an input that a press elsewhere leaves. */
const DELAYED = ['change', 'blur'];

/** What ends a press. Nobody sees a button released over the list of a `<select>`, or outside of the window. */
const ENDS = ['mouseup', 'mousemove', 'dragend', 'keydown', 'input'];

/**
 * Keeps dialogs still while the mouse button is pressed. A browser gives a click only to an element that was both pressed and
 * released, so nothing may move it away from the mouse. The events of the input that the press leaves, after which texts and rows
 * appear and disappear, wait for the release. They still come before the click.
 */
export function keepStillWhilePressed(): void {
  for (const type of DELAYED) document.addEventListener(type, delay, true);
  for (const type of ENDS) document.addEventListener(type, release, true);
  document.addEventListener('mousedown', press, true);
}

/** Resolves when no mouse button is pressed; after a press, when its click has been handled. */
export async function released(): Promise<void> {
  const before = waiting;
  if (before) await new Promise<void>((resolve) => before.push(() => setTimeout(resolve)));
}

function press({ button }: MouseEvent): void {
  if (button === 0) waiting ??= [];
}

function delay(event: Event): void {
  const { target } = event;
  if (!waiting || !(target instanceof Element) || !target.matches('.stash-form :is(input, select)')) return;
  event.stopImmediatePropagation();
  waiting.push(() => target.dispatchEvent(event));
}

function release(event: Event): void {
  if (!waiting || (event instanceof MouseEvent && event.buttons & 1)) return;
  const acts = waiting;
  waiting = undefined;
  for (const act of acts) act();
}
