import type { EditorNode } from '../node-red';

/**
 * Shows rows of a dialog only if they have an effect. Replaces a wrong value in a hidden row by its default, because the user
 * could not see and correct it.
 */
export function showRows(node: EditorNode, rows: JQuery, shown: boolean): void {
  rows.toggle(shown);
  rows.find("[id^='node-input-']").each((_index, input) => {
    const property = node._def.defaults[input.id.replace('node-input-', '')];
    if (!property?.validate) return;
    const isWrong = property.validate.call(node, $(input).val(), {}) !== true;
    if (!shown && isWrong) $(input).val(property.value as string);
    // Its validity may depend on whether it is shown.
    $(input).trigger('change');
  });
}
