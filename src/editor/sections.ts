import type { EditorNode } from './node-red';

/** Opens each closed section of a dialog in which a value differs from its default. */
export function openSections(node: EditorNode, prefix: string): void {
  // The dialog of a node may be open below that of its server.
  const sections = $('.stash-form').last().find('.stash-section');
  sections.each((_index, section) => {
    const inputs = $(section).find(`[id^="${prefix}"]`).get();
    const isChanged = inputs.some((input) => {
      const preset = node._def.defaults[input.id.replace(prefix, '')]?.value ?? '';
      const value = $(input).is(':checkbox') ? $(input).is(':checked') : $(input).val();
      return ![preset, '_ADD_', undefined].includes(value);
    });
    $(section).prop('open', isChanged);
  });
}
