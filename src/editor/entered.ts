import type { EditorNode } from './node-red';

/** Returns the properties that Node-RED would save from an open dialog. */
export function enteredProperties(node: EditorNode): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(node._def.defaults).map(([name, { value }]) => {
      const input = $(`#node-input-${name}`);
      if (input.length === 0) return [name, node[name] ?? value];
      if (input.is(':checkbox')) return [name, input.is(':checked')];
      return [name, input.val() ?? (input.is('select[multiple]') ? [] : '')];
    }),
  );
}
