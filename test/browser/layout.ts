import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** In pixels: the minimum width that a user may choose, Node-RED's default, and more. */
const WIDTHS = [400, 500, 900];

/** Letter spacings in pixels, because fonts and languages need different widths for a text. */
const SPACINGS = [0, 3];

/** Checks the dialog at each width and spacing, and then puts it back. @param state what the dialog shows. */
export async function checkAllWidths(page: Page, form: string, state: string): Promise<void> {
  const wrong = await page.locator(form).evaluate(misplaced, [WIDTHS, SPACINGS] as const);
  assert.deepEqual(wrong, [], state);
}

/**
 * Returns the texts that leave their column, cover another one or are cut off. Runs in the page for all widths at
 * once, so that the browser does not draw between them.
 */
function misplaced(
  form: Element,
  [widths, spacings]: readonly [widths: readonly number[], spacings: readonly number[]],
): string[] {
  const tray = form.closest<HTMLElement>('.red-ui-tray');
  for (const section of form.querySelectorAll('details')) section.open = true;
  const usual = tray?.style.width ?? '';
  const found = widths.flatMap((width) => {
    if (tray) tray.style.width = `${width}px`;
    return spacings.flatMap((spacing) => {
      (form as HTMLElement).style.letterSpacing = `${spacing}px`;
      const rows = [...form.querySelectorAll<HTMLElement>('.form-row')].filter(
        ({ offsetHeight }) => offsetHeight > 0,
      );
      const lines = [...form.querySelectorAll<HTMLElement>('.stash-check')];
      return [
        ...rows.flatMap(misplacedInRow),
        ...lines.flatMap(outside),
        ...unaligned(rows),
        ...tooWide(),
        ...emptyNotes(),
      ].map((text) => `${width} px, letters ${spacing} px apart: ${text}`);
    });
  });
  if (tray) tray.style.width = usual;
  (form as HTMLElement).style.letterSpacing = '';
  return found;

  /** Returns the notes without a text that are seen nevertheless, by an icon of their style. */
  function emptyNotes(): string[] {
    return [...form.querySelectorAll<HTMLElement>('[role="status"]:empty')]
      .filter((note) => note.offsetHeight > 0 && getComputedStyle(note, '::before').content !== 'none')
      .map(({ outerHTML }) => `an empty note: ${outerHTML}`);
  }

  /** Returns the tables that are wider than the dialog. */
  function tooWide(): string[] {
    const { right } = form.getBoundingClientRect();
    const tables = [...form.querySelectorAll('[role="region"]')];
    const { scrollWidth, clientWidth } = form;
    const wide = tables.map((one) => one.getBoundingClientRect().right).filter((end) => end > right);
    const isWide = scrollWidth > clientWidth || wide.length > 0;
    return isWide ? [`the table: ${scrollWidth} of ${clientWidth} px, ends ${wide.join()} of ${right}`] : [];
  }

  /** Returns the rows whose value does not begin where that of the first row does. */
  function unaligned(rows: HTMLElement[]): string[] {
    const start = (row?: HTMLElement) => row?.querySelector('.stash-value')?.getBoundingClientRect().left;
    return rows
      .filter((row) => start(row) !== start(rows[0]))
      .map(({ innerText }) => `begins elsewhere: ${innerText}`);
  }

  function misplacedInRow(row: HTMLElement): string[] {
    const label = row.querySelector<HTMLElement>(':scope > label, :scope > .stash-label');
    const value = row.querySelector<HTMLElement>(':scope > .stash-value');
    if (!label || !value) return [`not a label and a value: ${row.innerText}`];
    const [labelBox, valueBox] = [label.getBoundingClientRect(), value.getBoundingClientRect()];
    const isBeside = valueBox.left >= labelBox.right || valueBox.top >= labelBox.bottom;
    return [
      ...(isBeside ? [] : [`the label covers its value: ${label.innerText}`]),
      ...outside(label),
      ...outside(value),
      ...[...value.querySelectorAll('select:not([multiple])')].flatMap(cutOff),
    ];
  }

  /** Returns the elements that leave their column. */
  function outside(column: HTMLElement): string[] {
    const { left, right } = column.getBoundingClientRect();
    const range = document.createRange();
    const parts = document.createTreeWalker(column, NodeFilter.SHOW_ALL);
    const wrong: string[] = [];
    for (let node = parts.nextNode(); node; node = parts.nextNode()) {
      if (node instanceof Text ? node.data.trim() === '' : !isControl(node)) continue;
      range.selectNode(node);
      const boxes = [...range.getClientRects()].filter((box) => box.width > 0 && box.height > 0);
      if (boxes.every((box) => box.left >= left - 1 && box.right <= right + 1)) continue;
      wrong.push(node instanceof Text ? node.data.trim() : (node as Element).outerHTML.slice(0, 80));
    }
    return wrong;
  }

  function isControl(node: Node): boolean {
    return node instanceof Element && node.matches('input, select, i, button');
  }

  /** Returns the options of a list that do not fit beside its arrow. */
  function cutOff(list: Element): string[] {
    const { font, letterSpacing, paddingLeft } = getComputedStyle(list);
    const context = document.createElement('canvas').getContext('2d');
    if (!context || list.clientWidth === 0) return [];
    Object.assign(context, { font, letterSpacing });
    const room = list.clientWidth - parseFloat(paddingLeft) - 20;
    return [...(list as HTMLSelectElement).options]
      .filter(({ text }) => context.measureText(text).width > room)
      .map(({ text }) => `cut off: ${text}`);
  }
}
