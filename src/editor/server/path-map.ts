import { isRefusal } from '../../contract/refusal';
import { isAbsolutePath, type PathRow, pathRowIn } from '../../contract/server';
import { isVariable } from '../../contract/values';
import type { Value } from '../node-red';
import { words } from '../words';
import { requestCapabilities, reasonOf } from './selected-server';

/** The sides of a row, by the program that sees the folder so. */
const SIDES = { here: 'Node-RED', there: 'Stash' };

/** The saved row, as data of its element. */
const ROW = 'stash-row';

/** The IDs of elements that inputs refer to. */
const FOLDERS = 'stash-library-folders';
const PROBLEM = 'stash-path-problem';

/** Returns whether a saved path map is valid. */
export function arePathRows(value: Value): boolean {
  return value === undefined || (Array.isArray(value) && value.every(isPathRow));
}

/**
 * Shows the path map in the dialog of a server.
 * @param id the ID of its node: the right side offers the library folders of the deployed server.
 */
export function showPathMap(id: string, saved: unknown): void {
  const rows = $('#node-config-input-pathMap-container');
  const update = () => {
    labelRows(rows);
    showProblem(rows);
  };
  const add = (values: PathRow) => {
    const row = newRow(values).data(ROW, values).appendTo(rows);
    row.find('button').on('click', () => {
      // The focus stays near, also for people who do not see the dialog.
      const [next = document.getElementById('stash-path-add')] = row.siblings().last().find('button');
      row.remove();
      rows.trigger('change');
      next?.focus();
    });
    update();
    return row;
  };
  for (const row of Array.isArray(saved) ? (saved as unknown[]) : []) add(pathRowIn(row));
  // The rows are not inputs of Node-RED, by which the dialog opens its sections.
  rows.closest('details').prop('open', rows.children().length > 0);
  $('#stash-path-add').on('click', () => {
    add({ here: '', there: '' }).find('.stash-path-here').trigger('focus');
  });
  rows.on('input change', update);
  rows.one('focusin', '.stash-path-there', () => {
    void offerFolders(id);
  });
}

/** Offers the library folders of the server, as soon as they are known, in all inputs of the right side. */
async function offerFolders(id: string): Promise<void> {
  const folders = $('<datalist>', { id: FOLDERS }).insertAfter('#node-config-input-pathMap-container');
  const answer = await requestCapabilities(id);
  if ('reason' in answer) $('#stash-path-note').text(answer.reason);
  else if (isRefusal(answer.folders)) $('#stash-path-note').text(reasonOf(answer.folders));
  else folders.append(answer.folders.map(({ path }) => $('<option>', { value: path })));
}

function newRow({ here, there }: PathRow): JQuery {
  const input = (side: keyof PathRow, value: string, placeholder: string) =>
    $('<input>', { type: 'text', class: `stash-path-${side}`, spellcheck: 'false', placeholder }).val(value);
  return $('<div>', { class: 'stash-path-row' }).append(
    input('here', here, '/downloads'),
    $('<span>', { 'aria-hidden': 'true', text: '→' }),
    input('there', there, '/data/downloads').attr('list', FOLDERS),
    $('<button>', { type: 'button', class: 'red-ui-button' }).append(
      $('<i>', { class: 'fa fa-times', 'aria-hidden': 'true' }),
    ),
  );
}

function labelRows(rows: JQuery): void {
  rows.children().each((index, row) => {
    const label = words('server:button.removeRow', { row: index + 1 });
    $(row).find('button').attr({ title: label, 'aria-label': label });
    for (const [side, name] of Object.entries(SIDES)) {
      const input = $(row).find(`.stash-path-${side}`);
      input.attr('aria-label', `${name} ${index + 1}`);
    }
  });
}

/** Flags wrong paths, and shows the reason below the rows. Ignores empty rows, which are not saved. */
function showProblem(rows: JQuery): void {
  let isAnyWrong = false;
  for (const row of rows.children().get()) {
    const values = valuesIn($(row));
    for (const side of ['here', 'there'] as const) {
      const isWrong = !isEmptyRow(values) && !isUsable(values[side]);
      const input = $(row).find(`.stash-path-${side}`);
      input.toggleClass('input-error', isWrong).attr('aria-invalid', String(isWrong));
      if (isWrong) input.attr('aria-describedby', PROBLEM);
      else input.removeAttr('aria-describedby');
      isAnyWrong ||= isWrong;
    }
  }
  $(`#${PROBLEM}`).text(isAnyWrong ? words('server:invalid.pathMap') : '');
}

/** Returns the rows in the dialog that are not empty. */
export function pathMapInDialog(): PathRow[] {
  return rowsIn($('#node-config-input-pathMap-container')).filter((row) => !isEmptyRow(row));
}

function rowsIn(rows: JQuery): PathRow[] {
  return rows
    .children()
    .get()
    .map((row) => valuesIn($(row)));
}

function valuesIn(row: JQuery): PathRow {
  const valueOf = (side: keyof PathRow) => String(row.find(`.stash-path-${side}`).val() ?? '').trim();
  return { ...(row.data(ROW) as PathRow), here: valueOf('here'), there: valueOf('there') };
}

function isPathRow(row: unknown): boolean {
  const { here, there } = pathRowIn(row);
  return isUsable(here) && isUsable(there);
}

function isUsable(path: string): boolean {
  return isAbsolutePath(path.trim()) || isVariable(path.trim());
}

function isEmptyRow({ here, there }: PathRow): boolean {
  return here === '' && there === '';
}
