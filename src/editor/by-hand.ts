import type { EditorNode } from './node-red';

/** Calls `listener` for each node that somebody adds from the palette or by quick-add, before the editor validates it. */
export function onAddedByHand(listener: (node: EditorNode) => void): void {
  RED.events.on('nodes:add', (node, options) => {
    if (isByHand(options)) listener(node);
  });
}

/** @param options those of the event `nodes:add`. */
export function isByHand(options?: { source?: string } | null): boolean {
  return options?.source === 'palette' || options?.source === 'typeSearch';
}
