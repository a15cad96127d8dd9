import { isFilled } from '../../contract/values';
import type { EditorNode, NodeProperty, Value } from '../node-red';
import { selectSaved } from '../rows';
import { words } from '../words';

const DOCS = 'https://github.com/stash-flows/node-red-stash/blob/main/docs/nodes';

/**
 * Prepares a dialog: runs the steps that all dialogs of this package share, and `own` between them.
 * @param prefix what the ids of its inputs start with.
 */
export function prepareDialog(node: EditorNode, prefix: string, own: () => void): void {
  // Node-RED translates the dialog only later, and some texts are read before.
  const form = $('.stash-form') as JQuery & { i18n(): void };
  form.attr('lang', RED.i18n.lang()).i18n();
  fillDefaults(node, prefix);
  selectUnknown(node, prefix);
  linkDocs(node.type);
  own();
  prepareConfigNodeButtons(node, prefix);
  showProblems(node, prefix);
  openSections(node, prefix);
}

function linkDocs(type: string): void {
  const link = $('<a>', {
    class: 'stash-docs',
    href: `${DOCS}/${type.replace('stash-', '')}.md`,
    target: '_blank',
    rel: 'noopener noreferrer',
  });
  const icon = $('<i>', { class: 'fa fa-external-link', 'aria-hidden': 'true' });
  $('.stash-form')
    .last()
    .prepend(link.append(document.createTextNode(`${words('server:link.docs')} `), icon));
}

/** Makes the buttons beside a config node accessible by keyboard; in Node-RED they work only with a mouse. */
function prepareConfigNodeButtons(node: EditorNode, prefix: string): void {
  for (const [name, { type }] of Object.entries(node._def.defaults)) {
    if (type === undefined) continue;
    const field = $(`label[for="${prefix}${name}"]`).text().trim();
    for (const action of ['edit', 'add'] as const) {
      const button = $(`#${prefix}btn-${name}-${action}`);
      button
        .attr({ role: 'button', 'aria-label': words(`server:button.${action}`, { field }) })
        .on('keydown', ({ key }) => {
          if (key !== 'Enter' && key !== ' ') return true;
          button.trigger('click');
          return false;
        });
      // There may be nothing to edit.
      const update = () => {
        const isDisabled = button.hasClass('disabled');
        button.attr({ tabindex: isDisabled ? -1 : 0, 'aria-disabled': String(isDisabled) });
      };
      $(`#${prefix}${name}`).on('change', update);
      update();
    }
  }
}

/** Shows the default of each property that the flow file lacks, because that is not a mistake. */
function fillDefaults(node: EditorNode, prefix: string): void {
  for (const [name, { value, type }] of Object.entries(node._def.defaults)) {
    // The choice of a config node shows "none" by itself.
    if (node[name] !== undefined || value === undefined || type) continue;
    const input = $(`#${prefix}${name}`);
    if (input.is(':checkbox')) input.prop('checked', value);
    else input.val(value as string | string[]);
  }
}

/** Offers each saved choice that a list does not have. A newer version may know it, and the node keeps it. */
function selectUnknown(node: EditorNode, prefix: string): void {
  for (const [name, { type }] of Object.entries(node._def.defaults)) {
    const select = $(`select#${prefix}${name}`);
    if (select.length === 0 || type) continue;
    for (const value of [node[name]].flat()) {
      if (isFilled(value)) selectSaved(select, value);
    }
  }
}

/** Opens each closed section of a dialog in which a value differs from its default. */
function openSections(node: EditorNode, prefix: string): void {
  // The dialog of a node may be open below that of its server.
  const sections = $('.stash-form').last().find('.stash-section');
  sections.each((_index, section) => {
    const inputs = $(section).find(`[id^="${prefix}"]`).get();
    const isChanged = inputs.some((input) => {
      const preset = node._def.defaults[input.id.replace(prefix, '')]?.value ?? '';
      const value = $(input).is(':checkbox') ? $(input).is(':checked') : $(input).val();
      // A list of choices is a new array each time.
      return ![preset, '_ADD_', undefined].some((usual) => String(usual) === String(value));
    });
    $(section).prop('open', isChanged);
  });
}

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
