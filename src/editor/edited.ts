import type { EditorNode } from './node-red';

/** Returns whether the inputs in the page are those of a node. Others are validated meanwhile, such as those with the same server. */
function isEdited(node: EditorNode): boolean {
  return RED.editor.getEditStack().includes(node);
}

/** Returns an input of a node's open dialog; an empty selection if another dialog is open, or none. */
export function inputOf(node: EditorNode, property: string): JQuery {
  return isEdited(node) ? $(`#node-input-${property}`) : $();
}
