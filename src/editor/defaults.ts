import type { EditorNode } from './node-red';

/** Shows the default of each property that the flow file lacks, because that is not a mistake. */
export function fillDefaults(node: EditorNode, prefix: string): void {
  for (const [name, { value, type }] of Object.entries(node._def.defaults)) {
    // The choice of a config node shows "none" by itself.
    if (node[name] !== undefined || value === undefined || type) continue;
    const input = $(`#${prefix}${name}`);
    if (input.is(':checkbox')) input.prop('checked', value);
    else input.val(value as string | string[]);
  }
}
