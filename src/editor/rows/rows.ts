import type { EditorNode } from '../node-red';
import { words } from '../words';
import type { TypedInput } from './typed-input';

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

/** Marks an option for a value that only a newer version knows. */
const UNKNOWN = 'stash-unknown';

/** Selects a saved value. A list that does not have it offers it as well, so that the node keeps it. */
export function selectSaved(select: JQuery, value: string): void {
  const option = () => select.find('option').filter((_index, one) => $(one).val() === value);
  if (option().length === 0) $('<option>', { class: UNKNOWN, value, text: value }).appendTo(select);
  option().prop('selected', true);
}

/** Returns whether the selected value is one that only a newer version knows. */
export function isUnknown(select: JQuery): boolean {
  return select.find(':selected').hasClass(UNKNOWN);
}

/** The reply of a new node: nearly everybody waits for the job. The second output is that of `prepareReply`. */
export const freshReply = { reply: 'finished', outputs: 2 };

/** Labels the outputs of a node whose first output is for the job, or for its result. */
export function jobOutputLabel(this: EditorNode, index: number): string {
  if (index > 0) return words('server:output.progress');
  return words(this['reply'] === 'finished' ? 'server:output.result' : 'server:output.job');
}

/**
 * Shows the rows about the end of a job only if the message waits for it. Progress then has its own output: the editor keeps
 * the wires when an output is added, and removes those of a removed output.
 */
export function prepareReply(node: EditorNode): void {
  const reply = $('#node-input-reply');
  reply
    .on('change', () => {
      const waits = reply.val() === 'finished';
      showRows(node, $('.stash-finished'), waits);
      if (!isUnknown(reply)) $('#node-input-outputs').val(waits ? '2' : '1');
    })
    .trigger('change');
}

/**
 * Offers several properties of the flow file as one choice: one of the parts of the library, or everything (`all`).
 * @param parts the property of each and the rows that it shows, by the values of the choice; the first one that is saved is chosen.
 * @param onChange called with each choice.
 * @returns a function that limits the choice to some of its values.
 */
export function prepareScope(
  node: EditorNode,
  parts: Readonly<Record<string, { input: TypedInput; rows: string }>>,
  onChange?: (chosen: string) => void,
): (offered: readonly string[]) => void {
  const select = $('#stash-scope');
  const [saved = 'all'] = Object.keys(parts).filter((name) => parts[name]?.input.isUsedIn(node));
  const update = () => {
    const chosen = String(select.val());
    for (const [name, { input, rows }] of Object.entries(parts)) {
      input.use(name === chosen, 'payload');
      showRows(node, $(rows), name === chosen);
    }
    onChange?.(chosen);
  };
  select.val(saved).on('change', update);
  update();
  return (offered) => {
    select.find('option').each((_index, option) => {
      // Safari shows a hidden option all the same.
      option.hidden = option.disabled = !offered.includes(option.value);
    });
    if (!offered.includes(String(select.val()))) select.val('all');
    $('#stash-scope-row').toggle(offered.length > 1);
    select.trigger('change');
  };
}
