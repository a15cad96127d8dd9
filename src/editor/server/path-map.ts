import { isRefusal } from '../../contract/refusal';
import { isAbsolutePath, type PathRow, pathRowIn } from '../../contract/server';
import { isVariable } from '../../contract/values';
import type { Value } from '../node-red';
import { rowsIn, showRowList } from '../row-list';
import { words } from '../words';
import type { ServerReference } from './reference';
import { requestCapabilities, reasonOf } from './selected-server';

const LIST = '#node-config-input-pathMap-container';

/** The IDs of elements that inputs refer to. */
const FOLDERS = 'stash-library-folders';
const PROBLEM = 'stash-path-problem';

/** Returns whether a saved path map is valid. */
export function arePathRows(value: Value): boolean {
  return value === undefined || (Array.isArray(value) && value.every(isPathRow));
}

/**
 * Shows the path map in the dialog of a server.
 * @param server returns what was entered about it: the right side offers its library folders.
 */
export function showPathMap(server: () => ServerReference, saved: unknown): void {
  const list = $(LIST);
  showRowList(list, {
    addButton: words('server:button.addRow'),
    header: $('.stash-path-sides'),
    addItem(row, data) {
      const { here, there }: Partial<PathRow> = data;
      const input = inputOf('here', here, '/downloads').appendTo(row.addClass('stash-path-row'));
      row.append(
        $('<span>', { 'aria-hidden': 'true', text: '→' }),
        inputOf('there', there, '/data/downloads').attr('list', FOLDERS),
      );
      if (here === undefined) input.trigger('focus');
    },
    label(row, number) {
      row.find('.stash-path-here').attr('aria-label', `Node-RED ${number}`);
      row.find('.stash-path-there').attr('aria-label', `Stash ${number}`);
    },
  });
  const rows = Array.isArray(saved) ? saved.map(pathRowIn) : [];
  list.editableList('addItems', rows);
  // The rows are not inputs of Node-RED, by which the dialog opens its sections.
  list.closest('details').prop('open', rows.length > 0);
  list.on('input change', showProblem);
  showProblem();
  list.one('focusin', '.stash-path-there', () => {
    void offerFolders(server());
  });
}

function inputOf(side: keyof PathRow, value = '', placeholder: string): JQuery {
  const input = $('<input>', { type: 'text', class: `stash-path-${side}`, spellcheck: 'false', placeholder });
  return input.val(value);
}

/** Offers the library folders of the server, as soon as they are known, in all inputs of the right side. */
async function offerFolders(server: ServerReference): Promise<void> {
  const folders = $('<datalist>', { id: FOLDERS }).insertAfter(LIST);
  const answer = await requestCapabilities(server);
  if ('reason' in answer) $('#stash-path-note').text(answer.reason);
  else if (isRefusal(answer.folders)) $('#stash-path-note').text(reasonOf(answer.folders));
  else folders.append(answer.folders.map(({ path }) => $('<option>', { value: path })));
}

/** Flags wrong paths, and shows the reason below the rows. Ignores empty rows, which are not saved. */
function showProblem(): void {
  let isAnyWrong = false;
  for (const row of rowsIn($(LIST))) {
    const values = valuesIn(row);
    for (const side of ['here', 'there'] as const) {
      const isWrong = !isEmptyRow(values) && !isUsable(values[side]);
      row
        .find(`.stash-path-${side}`)
        .toggleClass('input-error', isWrong)
        .attr({ 'aria-invalid': String(isWrong), 'aria-describedby': isWrong ? PROBLEM : null });
      isAnyWrong ||= isWrong;
    }
  }
  $(`#${PROBLEM}`).text(isAnyWrong ? words('server:invalid.pathMap') : '');
}

/** Returns the rows in the dialog that are not empty. */
export function pathMapInDialog(): PathRow[] {
  return rowsIn($(LIST))
    .map(valuesIn)
    .filter((row) => !isEmptyRow(row));
}

function valuesIn(row: JQuery): PathRow {
  const valueOf = (side: keyof PathRow) => String(row.find(`.stash-path-${side}`).val() ?? '').trim();
  return { ...(row.data('data') as object), here: valueOf('here'), there: valueOf('there') };
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
