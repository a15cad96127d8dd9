import type { EditorNode, NodeProperty, Value } from '../node-red';
import { words } from '../words';

/**
 * Shows the reason below each wrong value, ties it to the control, and announces it. Node-RED itself only turns the border
 * red, with the reason in a tooltip.
 */
export function showProblems(node: EditorNode, prefix: string): void {
  for (const [name, property] of Object.entries({ ...node._def.defaults, ...node._def.credentials })) {
    const input = $(`#${prefix}${name}`);
    if (input.length === 0 || !(property.validate || isRequiredNode(property))) continue;
    const id = `${prefix}${name}-problem`;
    const text = $('<div>', { id, class: 'stash-problem', role: 'alert' });
    input.closest('.stash-value').append(text);
    const update = () => {
      const isWrong = input.hasClass('input-error');
      text.text(isWrong ? problemOf(node, property, input.val()) : '');
      const controls = visibleControls(input);
      if (isWrong) controls.attr('aria-describedby', id);
      else controls.removeAttr('aria-describedby');
      // A group cannot have this attribute.
      controls.not('[role="group"]').attr('aria-invalid', String(isWrong));
    };
    // Another value may decide whether this one is wrong.
    new MutationObserver(update).observe(input[0] as HTMLElement, { attributeFilter: ['class'] });
    // Node-RED does not validate what a password manager or a drop enters.
    input.on('input', () => input.trigger('keyup'));
    input.on('change keyup paste', update);
    update();
  }
}

function isRequiredNode({ type, required }: NodeProperty): boolean {
  return type !== undefined && required === true;
}

function problemOf(node: EditorNode, { validate, label = '' }: NodeProperty, value: Value): string {
  const reason = validate ? validate.call(node, value, { label }) : words('server:invalid.server');
  return reason === true ? '' : reason;
}

/** Returns the visible controls of an input, which may be a typed input or a group of checkboxes. */
function visibleControls(input: JQuery): JQuery {
  const group = input.is('select[multiple]')
    ? input.next('[role="group"]')
    : input.filter(':checkbox').closest('[role="group"]');
  const typed = input
    .next('.red-ui-typedInput-container')
    .find('.red-ui-typedInput-input, [role="combobox"]');
  return group.length > 0 ? group : typed.length > 0 ? typed : input;
}
