import type { Locator, Page } from 'playwright-core';
import { Dialog } from './dialog';

const PATH_MAP = '.red-ui-editableList:has(#node-config-input-pathMap-container)';

/** The dialog of stash-server. */
export class ServerDialog extends Dialog {
  static async opened(page: Page): Promise<ServerDialog> {
    const form = '#node-config-dialog-edit-form';
    return await new ServerDialog(page, 'node-config-input', form, '#node-config-dialog-ok').ready();
  }

  get startPage(): Locator {
    return this.page.locator('#stash-start-page');
  }

  /** Adds a row to the path map and fills it in. */
  async addPathRow(here: string, there: string): Promise<void> {
    await this.focus(`${PATH_MAP} .red-ui-editableList-addButton`);
    await this.page.keyboard.press('Enter');
    await this.enter(here);
    await this.page.keyboard.press('Tab');
    await this.enter(there);
  }

  /** Removes a row of the path map, counted from 1. */
  async removePathRow(row: number): Promise<void> {
    await this.focus(`${PATH_MAP} li:nth-child(${row}) .red-ui-editableList-item-remove`);
    await this.page.keyboard.press('Enter');
  }

  /** Drags a row of the path map to the place of another, counted from 1. */
  async movePathRow(from: number, to: number): Promise<void> {
    const handle = (row: number) =>
      this.page.locator(`${PATH_MAP} li:nth-child(${row}) .red-ui-editableList-item-handle`);
    await handle(from).dragTo(handle(to), { steps: 5, targetPosition: { x: 5, y: 0 } });
  }

  /** Returns the values in the rows of the path map. */
  async pathRows(): Promise<string[][]> {
    return await this.page.evaluate(() =>
      [...document.querySelectorAll('.stash-path-row')].map((row) =>
        [...row.querySelectorAll('input')].map(({ value }) => value),
      ),
    );
  }

  async pressTest(): Promise<void> {
    await this.focus('#stash-test');
    await this.page.keyboard.press('Enter');
  }

  /** Returns the text beside the Test button. */
  async result(): Promise<string> {
    return (await this.page.locator('#stash-test-answer').innerText()).trim();
  }

  /** Returns the row of a check; without a check, that with the reason why nothing was checked. */
  row(check = ''): Locator {
    return this.page.locator(`.stash-check[data-check="${check}"]`);
  }

  /** Returns what a check has found and what to do. */
  async line(check?: string): Promise<string> {
    return await this.row(check).locator('.stash-check-text').innerText();
  }

  /** Presses a button of the list by keyboard. */
  async pressRemedy(text: string): Promise<void> {
    const button = this.page.locator('.stash-remedies button', { hasText: text });
    await button.first().waitFor();
    await this.tabTo('.stash-remedies button');
    while (!(await button.first().evaluate((element) => element === document.activeElement))) {
      await this.page.keyboard.press('Tab');
    }
    await this.page.keyboard.press('Enter');
  }

  /** Presses the Test button and returns the final text beside it. */
  async test(): Promise<string> {
    await this.pressTest();
    return await this.conclusion();
  }

  /** Waits for the end of the checks, and returns the final text beside the button. */
  async conclusion(): Promise<string> {
    // The button shows a progress text first.
    const line = this.page.locator('#stash-test-answer:has(.stash-good, .stash-bad)');
    return (await line.innerText()).trim();
  }
}
