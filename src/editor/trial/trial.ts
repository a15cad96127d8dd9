import { picturedIn } from '../../contract/pictures';
import type { Refusal } from '../../contract/refusal';
import type { TrialLine, TrialState, TrialTable, TrialUnit } from '../../contract/trial';
import { duration, formatBytes } from '../../contract/units';
import type { EditorNode } from '../node-red';
import { pictureAt, Pictures } from '../pickers';
import { requestLines } from '../request';
import { needsDeploy, runtimeId, type SelectedServer, undeployedText } from '../server';
import { sentenceOf, words } from '../words';
import { MessageValues } from './message-values';

interface TrialOptions {
  /** What the node lists, if it lists anything. */
  unit?: Unit;
  /** Returns properties that the dialog keeps elsewhere than in its inputs. */
  own?: () => object;
  /** The JSON with which a value of the message begins, by the typed input that usually gets such a value. */
  first?: Readonly<Record<string, string>>;
  /** Returns the label of a field that the node changes. */
  labelOf?: (field: string) => string;
}

/**
 * Prepares the button "Try it" of a dialog: it sends the node's request with the values in the dialog, and shows the first
 * results.
 * They disappear when a value changes. Closing the dialog ends a request that waits.
 */
export function showTrial(node: EditorNode, server: SelectedServer, options: TrialOptions = {}): void {
  new TrialView(node, server, options).listen();
}

class TrialView {
  readonly #node: EditorNode;
  readonly #server: SelectedServer;
  readonly #unit: Unit;
  readonly #own: () => object;
  readonly #labelOf: TrialOptions['labelOf'];
  readonly #start = $('#stash-trial-start');
  readonly #stop = $('#stash-trial-stop');
  readonly #note = $('#stash-trial-note');
  readonly #table = $('#stash-trial-table');
  readonly #values: MessageValues;
  /** What the shown result, or the running request, is about; empty without one. */
  #tried = '';
  /** What the running request waits for; undefined while none runs. */
  #state: TrialState | undefined;
  #endRequest = (): void => undefined;
  /** Whether the pointer is where the button is, which is to stay below it. */
  #isPointed = false;
  #pictures: Pictures | undefined;

  constructor(
    node: EditorNode,
    server: SelectedServer,
    { unit = 'items', own = () => ({}), labelOf, first = {} }: TrialOptions,
  ) {
    this.#node = node;
    this.#server = server;
    this.#unit = unit;
    this.#own = own;
    this.#labelOf = labelOf;
    const firstOf = (property: string) =>
      Object.entries(first).find(([input]) => this.#properties()[input] === property)?.[1];
    this.#values = new MessageValues($('#stash-trial-values'), firstOf);
  }

  listen(): void {
    this.#start.on('click', ({ detail }) => {
      if (this.#state !== undefined) return;
      // A key is a click without a count.
      this.#isPointed = detail > 0;
      this.#run();
    });
    this.#stop.on('click', () => {
      this.#cancel();
    });
    // A typed input has its value only when the key is released.
    this.#start.closest('form').on('input keyup change', () => {
      this.#values.show(this.#properties());
      if (this.#tried !== '' && JSON.stringify(this.#content()) !== this.#tried) this.#cancel();
    });
    // When the dialog is closed in any way. Node-RED tells a node nothing of its Delete button.
    this.#start.on('remove', () => {
      this.#endRequest();
      this.#pictures?.reset();
    });
    this.#values.show(this.#properties());
    this.#showState(undefined);
  }

  #properties(): Record<string, unknown> {
    return { ...enteredProperties(this.#node), ...this.#own() };
  }

  #content() {
    return {
      ...this.#server.reference,
      node: runtimeId(this.#node),
      properties: this.#properties(),
      message: this.#values.values(),
    };
  }

  #run(): void {
    this.#cancel();
    const body = this.#content();
    this.#tried = JSON.stringify(body);
    if (body.id === '') {
      this.#fail(words('server:invalid.server'));
      return;
    }
    this.#showState('asking');
    this.#endRequest = requestLines<TrialLine>({
      url: `stash-server/try/${this.#node.type.replace('stash-', '')}`,
      body,
      line: (line) => {
        this.#showLine(line);
      },
      end: () => {
        if (this.#state !== undefined) this.#fail(words('server:test.failed'));
      },
    });
  }

  #cancel(): void {
    this.#endRequest();
    this.#tried = '';
    this.#showState(undefined);
    this.#note.empty();
    this.#pictures?.reset();
    this.#table.empty();
  }

  #showLine(line: TrialLine): void {
    if ('state' in line) this.#showState(line.state);
    else if ('rows' in line) this.#showResult(line);
    else if ('case' in line) this.#fail(this.#refusalText(line));
    else this.#fail(words('server:failed'));
  }

  #refusalText(refusal: Refusal): string {
    if (needsDeploy(refusal)) return undeployedText();
    // That nothing was changed goes without saying here.
    if (refusal.case === 'BAD_INPUT.notThere') return words('server:trial.notThere', refusal.details);
    return sentenceOf(refusal, this.#node.type);
  }

  #showState(state: TrialState | undefined): void {
    const isRunning = state !== undefined;
    this.#start.attr('aria-disabled', String(isRunning)).toggleClass('disabled', isRunning);
    if (!isRunning && this.#stop.is(':focus')) this.#start.trigger('focus');
    this.#stop.toggle(isRunning);
    // A state is repeated while it lasts, but not to people.
    if (isRunning && state !== this.#state)
      this.#showNote('spinner fa-spin', words(`server:trial.state.${state}`));
    this.#state = state;
  }

  #showResult(result: TrialTable): void {
    const { rows, missing, hints = [], errors } = result;
    const catalogue = this.#node.type.replace('stash-', '');
    const isEmpty = result.shape === 'changes' && rows.length === 0;
    const notes = [
      ...(isEmpty ? [words('server:trial.noItems')] : []),
      // The caption names the performer.
      ...(this.#unit === 'matches' ? [] : createdIn(result)),
      ...(missing.length > 0 ? [words('server:trial.missing', { fields: missing.join(', ') })] : []),
      ...hints.map(({ key, values }) => words(`${catalogue}:detail.${key}`, values)),
    ];
    this.#showState(undefined);
    this.#showNote(
      isEmpty ? 'info-circle' : 'check-circle stash-good',
      captionOf(result, this.#unit),
      ...notes.map((text) => $('<div>', { class: 'stash-hint' }).text(text)),
      ...errors.map((text) => $('<div>', { class: 'stash-problem' }).text(text)),
    );
    if (rows.length > 0) this.#table.append(tableElement(result, this.#labelOf));
    const pictures = (this.#pictures = new Pictures(this.#table[0] as Element));
    this.#table.find('.stash-trial-picture').each((_index, place) => {
      pictures.add(place, pictureAt(this.#server.reference, place.title));
    });
    const start = rows.length > 0 ? this.#table.find('tr').slice(0, 2).last() : this.#note;
    this.#reveal(this.#isPointed ? $('#stash-trial-caption') : start);
  }

  #fail(text: string): void {
    this.#showState(undefined);
    this.#showNote('exclamation-triangle stash-bad', text);
    this.#reveal(this.#note);
  }

  /** Shows the start of a result, which is often below what is visible. */
  #reveal(part: JQuery): void {
    part[0]?.scrollIntoView({ block: 'nearest' });
  }

  #showNote(icon: string, text: string, ...more: JQuery[]): void {
    const caption = $('<div>', { id: 'stash-trial-caption' });
    caption.append(
      $('<i>', { class: `fa fa-${icon}`, 'aria-hidden': 'true' }),
      document.createTextNode(` ${text}`),
    );
    this.#note.empty().append(caption, ...more);
  }
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

/** Returns a sentence about a table: how many of the results it shows, or what happens to the only one. */
export function captionOf(
  { shape, rows, count, sent, changing = 0, created = [], milliseconds }: TrialTable,
  unit: Unit,
): string {
  if (shape === 'fields') return words('server:trial.answered', { milliseconds });
  const shown = rows.length;
  if (shape === 'changes') {
    const total = count ?? shown;
    const [[name = ''] = []] = rows;
    if (total === 1) {
      // The only one that can be new is the performer that is saved.
      const isNew = unit === 'matches' && created.length > 0;
      const what = isNew ? 'added' : changing > 0 ? 'changed' : 'kept';
      return words(`server:trial.one.${what}`, { name, milliseconds });
    }
    if (total === 0) return words('server:trial.changes.none', { milliseconds });
    if (total === shown) return words('server:trial.changes.all', { changing, total, milliseconds });
    return words('server:trial.changes.first', { changing, total, shown, milliseconds });
  }
  if (count === null) return words('server:trial.first.page', { shown, milliseconds });
  if (sent !== undefined)
    return words('server:trial.first.sent', { shown, total: count, sent, milliseconds });
  if (count > shown) return words(`server:trial.first.${unit}`, { shown, total: count, milliseconds });
  return words(`server:trial.all.${unit}`, { count, milliseconds });
}

/** Returns a line for each kind of what an update would create. */
function createdIn({ created = [] }: TrialTable): string[] {
  return created.map(({ kind, names: shown, count }) => {
    const names = shown.join(words('server:details.separator'));
    const more = count - shown.length;
    const all = more > 0 ? words('server:trial.created.more', { names, count: more }) : names;
    return words(`server:trial.created.${kind}`, { names: all, count });
  });
}

/**
 * Returns the table as an element. The name of a field has its label in the dialog as a tooltip, if it has one.
 * @param labelOf returns the label of a field that would change.
 */
export function tableElement(table: TrialTable, labelOf = (field: string) => field): JQuery {
  const { shape, columns, rows, units = {} } = table.shape === 'list' ? withoutEmptyColumns(table) : table;
  const [only, ...others] = rows;
  // The changes of a single item stand one below the other: a performer has many fields.
  const isOne = shape === 'changes' && only !== undefined && only.length > 1 && others.length === 0;
  const isList = shape !== 'fields' && !isOne;
  const names = isOne ? [nameOfColumn('field'), only[0] ?? ''] : namesOfColumns({ shape, columns }, labelOf);
  const shown = isOne
    ? columns.slice(1).map((column, index) => [labelOf(column), only[index + 1] ?? ''])
    : rows;
  const heading = (text: string, scope: 'col' | 'row') =>
    $('<th>', { scope, title: optionLabel(text) }).text(text);
  const head = $('<tr>').append(names.map((name) => heading(name, 'col')));
  const body = shown.map((row) =>
    $('<tr>').append(
      ...row.map((text, index) => {
        if (!isList && index === 0) return heading(text, 'row');
        const unit = units[(isList ? columns[index] : row[0]) ?? ''];
        return cell(unit ? numberText(text, unit) : text);
      }),
      ...(isList && row.length < columns.length ? [unchangedCell(columns.length - row.length)] : []),
    ),
  );
  return $('<table>').append($('<thead>').append(head), $('<tbody>').append(body));
}

/** Leaves out the columns of a list that are empty: they only push others out of sight. */
function withoutEmptyColumns({ columns, rows, ...table }: TrialTable): TrialTable {
  const isFilledAt = columns.map((_column, index) => rows.some((row) => row[index] !== ''));
  const filled = <Cell>(cells: readonly Cell[]) => cells.filter((_cell, index) => isFilledAt[index]);
  return { ...table, columns: filled(columns), rows: rows.map(filled) };
}

function namesOfColumns(
  { shape, columns }: Pick<TrialTable, 'shape' | 'columns'>,
  labelOf: (field: string) => string,
): string[] {
  if (shape === 'list') return columns;
  if (shape === 'changes') return [nameOfColumn('item'), ...columns.slice(1).map(labelOf)];
  return (['field', 'value'] as const).map(nameOfColumn);
}

function nameOfColumn(column: 'field' | 'value' | 'item'): string {
  return words(`server:trial.column.${column}`);
}

/** Returns a number in the reader's language; another text as it is. */
function numberText(text: string, unit: TrialUnit): string {
  const number = Number(text);
  if (text === '' || !Number.isFinite(number)) return text;
  const format = (value: number) => value.toLocaleString(RED.i18n.lang());
  if (unit === 'bytes') return formatBytes(number, format);
  return unit === 'seconds' ? duration(number, format) : format(number);
}

/** Returns what stands in place of the cells of an item that would stay as it is. */
function unchangedCell(colspan: number): JQuery {
  return $('<td>', { colspan, class: 'stash-hint', text: words('server:trial.unchanged') });
}

/** Returns a cell. A text that is the address of a picture of the server gives way to it. */
function cell(text: string): JQuery {
  const isPicture = picturedIn(text) !== undefined;
  // The message has no path, but the picture. If there is none, it has nothing.
  const content = $('<div>').text(isPicture && text.startsWith('/') ? '' : text);
  if (isPicture) content.addClass('stash-trial-picture').attr('title', text);
  return $('<td>').append(content);
}

/** Returns the label of a field in the dialog; nothing if it has none. */
function optionLabel(name: string): string | undefined {
  const option = $('#node-input-fields option').filter((_index, one) => $(one).val() === name);
  return option.text() || undefined;
}
