import { words } from './words';

interface RowListOptions {
  /** The text of the button below the rows. */
  addButton: string;
  /** What is above the rows. */
  header?: JQuery;
  /** Fills a row. One that the button adds has an empty object. */
  addItem: (row: JQuery, data: object) => void;
  /** Names the controls of a row, counted from 1. */
  label: (row: JQuery, number: number) => void;
}

/** Makes Node-RED's list of rows of an `<ol>`, which gets a `change` event when a row is removed or moved. */
export function showRowList(list: JQuery, { addItem, label, ...options }: RowListOptions): void {
  const labelRows = () => {
    for (const [index, row] of rowsIn(list).entries()) {
      label(row, index + 1);
      row.siblings('a').attr('aria-label', words('server:button.removeRow', { row: index + 1 }));
    }
  };
  const update = () => {
    labelRows();
    list.trigger('change');
  };
  list.editableList({
    ...options,
    height: 'auto',
    removable: true,
    sortable: true,
    addItem(row, _index, data: object) {
      addItem(row, data);
      labelRows();
      // The row fades before `removeItem`.
      row.siblings('a').on('click', update);
    },
    removeItem() {
      // The pressed button is gone, and with it the focus.
      if (document.activeElement === document.body)
        list.closest('.red-ui-editableList').find('.red-ui-editableList-addButton').trigger('focus');
    },
    sortItems: update,
  });
}

/** Returns the rows, each with its data. Node-RED lets a removed one fade first. */
export function rowsIn(list: JQuery): JQuery[] {
  return list
    .find('> :not(.red-ui-editableList-item-deleting) > .red-ui-editableList-item-content')
    .get()
    .map((row) => $(row));
}
