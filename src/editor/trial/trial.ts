import { picturedIn } from '../../contract/pictures';
import type { TrialLine, TrialState, TrialTable } from '../../contract/trial';
import type { EditorNode } from '../node-red';
import { pictureAt, Pictures } from '../pickers';
import { requestLines } from '../request';
import { runtimeId, type SelectedServer, undeployedText } from '../server';
import { sentenceOf, words } from '../words';
import { MessageValues } from './message-values';

interface TrialOptions {
  /** What the node lists, if it lists anything. */
  unit?: Unit;
  /** Returns properties that the dialog keeps elsewhere than in its inputs. */
  own?: () => object;
}

/**
 * Prepares the button "Try it" of a dialog: it sends the node's request with the values in the dialog, and shows the first
 * results.
 * They disappear when a value changes. Closing the dialog ends a request that waits.
 */
export function showTrial(
  node: EditorNode,
  server: SelectedServer,
  { unit = 'items', own = () => ({}) }: TrialOptions = {},
): void {
  const start = $('#stash-trial-start');
  const stop = $('#stash-trial-stop');
  const note = $('#stash-trial-note');
  const table = $('#stash-trial-table');
  const values = new MessageValues($('#stash-trial-values'));
  const properties = () => ({ ...enteredProperties(node), ...own() });
  const content = () => ({
    id: server.id,
    node: runtimeId(node),
    properties: properties(),
    message: values.values(),
  });

  /** What the shown result, or the running request, is about; empty without one. */
  let tried = '';
  /** What the running request waits for; undefined while none runs. */
  let state: TrialState | undefined;
  let endRequest = (): void => undefined;
  let pictures: Pictures | undefined;

  const show = (icon: string, text: string, ...more: JQuery[]) => {
    const caption = $('<div>', { id: 'stash-trial-caption' });
    caption.append(
      $('<i>', { class: `fa fa-${icon}`, 'aria-hidden': 'true' }),
      document.createTextNode(` ${text}`),
    );
    note.empty().append(caption, ...more);
  };
  const run = (now: TrialState | undefined) => {
    const isRunning = now !== undefined;
    start.attr('aria-disabled', String(isRunning)).toggleClass('disabled', isRunning);
    if (!isRunning && stop.is(':focus')) start.trigger('focus');
    stop.toggle(isRunning);
    // A state is repeated while it lasts, but not to people.
    if (isRunning && now !== state) show('spinner fa-spin', words(`server:trial.state.${now}`));
    state = now;
  };
  const cancel = () => {
    endRequest();
    tried = '';
    run(undefined);
    note.empty();
    pictures?.reset();
    table.empty();
  };
  const fail = (text: string) => {
    run(undefined);
    show('exclamation-triangle stash-bad', text);
  };
  const showResult = (result: TrialTable) => {
    const { rows, missing, errors } = result;
    const fields = missing.join(', ');
    const hint = words('server:trial.missing', { fields });
    run(undefined);
    show(
      'check-circle stash-good',
      captionOf(result, unit),
      ...(missing.length > 0 ? [$('<div>', { class: 'stash-hint' }).text(hint)] : []),
      ...errors.map((text) => $('<div>', { class: 'stash-problem' }).text(text)),
    );
    if (rows.length > 0) table.append(tableElement(result));
    const shown = new Pictures(table[0] as Element);
    pictures = shown;
    table.find('.stash-trial-picture').each((_index, place) => {
      shown.add(place, pictureAt(server.id, place.title));
    });
    // It is at the end of the dialog, often below what is visible.
    table[0]?.scrollIntoView({ block: 'nearest' });
  };
  const onLine = (line: TrialLine) => {
    if ('state' in line) run(line.state);
    else if ('rows' in line) showResult(line);
    else if ('case' in line)
      fail(line.case === 'NO_SERVER.none' ? undeployedText() : sentenceOf(line, node.type));
    else fail(words('server:failed'));
  };

  start.on('click', () => {
    if (state !== undefined) return;
    cancel();
    const body = content();
    tried = JSON.stringify(body);
    if (body.id === '') {
      fail(words('server:invalid.server'));
      return;
    }
    run('asking');
    endRequest = requestLines<TrialLine>({
      url: `stash-server/try/${node.type.replace('stash-', '')}`,
      body,
      line: onLine,
      end: () => {
        if (state !== undefined) fail(words('server:test.failed'));
      },
    });
  });
  stop.on('click', cancel);
  // A typed input has its value only when the key is released.
  start.closest('form').on('input keyup change', () => {
    values.show(properties());
    if (tried !== '' && JSON.stringify(content()) !== tried) cancel();
  });
  // When the dialog is closed in any way. Node-RED tells a node nothing of its Delete button.
  start.on('remove', () => {
    endRequest();
    pictures?.reset();
  });
  values.show(properties());
  run(undefined);
}

/** Returns the properties that Node-RED would save from an open dialog. */
function enteredProperties(node: EditorNode): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(node._def.defaults).map(([name, { value }]) => {
      const input = $(`#node-input-${name}`);
      if (input.length === 0) return [name, node[name] ?? value];
      if (input.is(':checkbox')) return [name, input.is(':checked')];
      return [name, input.val() ?? (input.is('select[multiple]') ? [] : '')];
    }),
  );
}

/** What the results in a list are. */
export type Unit = 'studios' | 'matches' | 'items' | 'newest';

/** Returns a sentence about a table: how many of the results it shows. */
export function captionOf({ shape, rows, count, sent, milliseconds }: TrialTable, unit: Unit): string {
  if (shape === 'fields') return words('server:trial.answered', { milliseconds });
  const shown = rows.length;
  if (count === null) return words('server:trial.first.page', { shown, milliseconds });
  if (sent !== undefined)
    return words('server:trial.first.sent', { shown, total: count, sent, milliseconds });
  if (count > shown) return words(`server:trial.first.${unit}`, { shown, total: count, milliseconds });
  return words(`server:trial.all.${unit}`, { count, milliseconds });
}

/** Returns the table as an element. The name of a field has its label in the dialog as a tooltip, if it has one. */
export function tableElement({ shape, columns, rows }: TrialTable): JQuery {
  const isList = shape === 'list';
  const names = isList ? columns : (['field', 'value'] as const).map(nameOfColumn);
  const heading = (text: string, scope: 'col' | 'row') =>
    $('<th>', { scope, title: optionLabel(text) }).text(text);
  const head = $('<tr>').append(names.map((name) => heading(name, 'col')));
  const body = rows.map((row) =>
    $('<tr>').append(row.map((text, index) => (isList || index > 0 ? cell(text) : heading(text, 'row')))),
  );
  return $('<table>').append($('<thead>').append(head), $('<tbody>').append(body));
}

function nameOfColumn(column: 'field' | 'value'): string {
  return words(`server:trial.column.${column}`);
}

/** Returns a cell. A text that is the address of a picture of the server gives way to it. */
function cell(text: string): JQuery {
  const content = $('<div>').text(text);
  if (picturedIn(text)) content.addClass('stash-trial-picture').attr('title', text);
  return $('<td>').append(content);
}

/** Returns the label of a field in the dialog; nothing if it has none. */
function optionLabel(name: string): string | undefined {
  const option = $('#node-input-fields option').filter((_index, one) => $(one).val() === name);
  return option.text() || undefined;
}
