import type { TrialTable } from '../../contract/trial';
import { words } from '../words';

/** What the results in a list are. */
export type Unit = 'studios' | 'matches' | 'items' | 'newest';

/** Returns a sentence about a table: how many of the results it shows. */
export function captionOf({ shape, rows, count, milliseconds }: TrialTable, unit: Unit): string {
  if (shape === 'fields') return words('server:trial.answered', { milliseconds });
  const shown = rows.length;
  if (count === null) return words('server:trial.first.page', { shown, milliseconds });
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
    $('<tr>').append(
      row.map((text, index) => (isList || index > 0 ? cell(text) : heading(String(text), 'row'))),
    ),
  );
  return $('<table>').append($('<thead>').append(head), $('<tbody>').append(body));
}

function nameOfColumn(column: 'field' | 'value'): string {
  return words(`server:trial.column.${column}`);
}

function cell(text: string | null): JQuery {
  const isNull = text === null;
  const content = $('<div>', { class: isNull ? 'stash-trial-null stash-hint' : '' });
  return $('<td>').append(content.text(isNull ? 'null' : text));
}

/** Returns the label of a field in the dialog; nothing if it has none. */
function optionLabel(name: string): string | undefined {
  const option = $('#node-input-fields option').filter((_index, one) => $(one).val() === name);
  return option.text() || undefined;
}
