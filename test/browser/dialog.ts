import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { words } from '../support/words';

/** The jQuery of the editor. */
declare const $: (selector: string) => ArrayLike<Element>;

/** Fills in an open dialog with the keyboard. That the Tab key leads to each control is what `walk` checks. */
export class Dialog {
  protected constructor(
    protected readonly page: Page,
    /** The prefix of the ids of its inputs. */
    private readonly prefix: string,
    private readonly form: string,
    private readonly done: string,
  ) {}

  static async ofNode(page: Page): Promise<Dialog> {
    return await new Dialog(page, 'node-input', '#dialog-form', '#node-dialog-ok').ready();
  }

  input(property: string): Locator {
    return this.page.locator(`#${this.prefix}-${property}`);
  }

  /** Returns a visible text in the dialog. */
  text(text: string): Locator {
    return this.page.locator(this.form).getByText(text, { exact: true }).filter({ visible: true });
  }

  /** Moves the focus to an element, which must be able to have it, and selects its text, as the Tab key does. */
  async focus(selector: string): Promise<void> {
    const hasFocus = await this.page.evaluate((targetSelector) => {
      const target = document.querySelector<HTMLElement>(targetSelector);
      target?.focus();
      if (target instanceof HTMLInputElement) target.select();
      return target !== null && document.activeElement === target;
    }, selector);
    assert.ok(hasFocus, `${selector} can have the focus`);
  }

  /** Moves the focus to an element with the Tab key, forwards or backwards, as people without a mouse do. */
  async tabTo(selector: string): Promise<void> {
    // `evaluate` of the page, because a locator takes five calls instead of one, for hundreds of presses.
    const key = () =>
      this.page.evaluate((targetSelector) => {
        const [target] = document.querySelectorAll(targetSelector);
        const { activeElement } = document;
        if (!target) throw new Error(`there is no ${targetSelector}`);
        if (!activeElement || activeElement === target) return undefined;
        const follows = activeElement.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING;
        return follows ? 'Tab' : 'Shift+Tab';
      }, selector);
    for (let presses = 0; presses < 50; presses += 1) {
      const next = await key();
      if (next === undefined) return;
      await this.page.keyboard.press(next);
    }
    assert.fail(`the Tab key does not lead to ${selector}`);
  }

  /** Opens a section by keyboard, if it is closed. */
  async openSection(name: string): Promise<void> {
    const summary = `.stash-section > summary[data-i18n$=".${name}"]`;
    if ((await this.page.locator(summary).locator('..').getAttribute('open')) !== null) return;
    await this.focus(summary);
    await this.page.keyboard.press('Enter');
  }

  /** Replaces the text of an input. */
  async type(property: string, text: string): Promise<void> {
    await this.focus(`#${this.prefix}-${property}`);
    await this.#replace(text);
  }

  /** Chooses the entry of a list that begins with a text. */
  async choose(property: string, beginning: string): Promise<void> {
    await this.#choose(`#${this.prefix}-${property}`, beginning);
  }

  /** Moves the focus to the combobox of a picker. */
  async toPicker(property: string): Promise<void> {
    await this.focus(`${this.#typedInput(property)} [role="combobox"]`);
  }

  /** Opens the list of a picker, and returns its entries when they are there. */
  async offered(property: string): Promise<string[]> {
    await this.toPicker(property);
    await this.page.keyboard.press('ArrowDown');
    return await this.entries();
  }

  /** Returns the labels in the open list, once it has loaded. */
  async entries(): Promise<string[]> {
    const loading = words('server', 'picker.loading');
    await this.page
      .locator('.stash-popup-note')
      .filter({ hasNotText: loading })
      .waitFor({ state: 'attached' });
    return await this.page.locator('.stash-option-texts > :first-child').allTextContents();
  }

  /** Chooses the first entry that a text finds, which contains it. */
  async pick(property: string, text: string): Promise<void> {
    await this.toPicker(property);
    await this.enter(text);
    await this.page.locator('.stash-option.stash-active').filter({ hasText: text }).waitFor();
    await this.page.keyboard.press('Enter');
  }

  /** Returns what is chosen in a picker, as it is shown, with the mark of what the server does not have. */
  async picked(property: string): Promise<string[]> {
    const picker = this.page.locator(`${this.#typedInput(property)} .stash-combobox`);
    return await picker.evaluate((element) => {
      const mark = (parent: Element) => parent.querySelector(':scope > .stash-gone')?.textContent ?? '';
      const chips = [...element.querySelectorAll('.stash-chip')].map((chip) => [
        chip.querySelector('.stash-chip-text')?.textContent ?? '',
        mark(chip),
      ]);
      const text = [element.querySelector('input')?.value ?? '', mark(element)];
      return [...chips, text].map((parts) => parts.join(' ').trim()).filter((part) => part !== '');
    });
  }

  async #choose(selector: string, beginning: string): Promise<void> {
    await this.focus(selector);
    const select = this.page.locator(selector);
    const labels = await select.locator('option').allTextContents();
    const index = labels.findIndex((label) => label.trim().startsWith(beginning));
    assert.ok(index >= 0, `${beginning} is one of ${labels.join(', ')}`);
    const chosen = await select.evaluate(({ selectedIndex }: HTMLSelectElement) => selectedIndex);
    for (let presses = 0; presses < Math.abs(index - chosen); presses += 1) {
      await this.page.keyboard.press(index > chosen ? 'ArrowDown' : 'ArrowUp');
    }
    assert.equal(await select.evaluate(({ selectedIndex }: HTMLSelectElement) => selectedIndex), index);
  }

  async tick(property: string): Promise<void> {
    await this.focus(`#${this.prefix}-${property}`);
    await this.page.keyboard.press('Space');
  }

  /** Types the value of a typed input. */
  async typeValue(property: string, text: string): Promise<void> {
    await this.focus(`${this.#typedInput(property)} .red-ui-typedInput-input`);
    await this.#replace(text);
  }

  /** Chooses the type of a typed input from its menu. */
  async chooseType(property: string, label: string): Promise<void> {
    await this.#chooseType(this.#typedInput(property), label);
  }

  async #chooseType(input: string, label: string): Promise<void> {
    await this.focus(`${input} .red-ui-typedInput-type-select`);
    await this.page.keyboard.press('Enter');
    const focused = this.page.locator('.red-ui-typedInput-options a:focus');
    await focused.waitFor();
    await hasOpened(this.page);
    const labels = await focused.locator('..').locator('a').allTextContents();
    assert.ok(labels.includes(label), `the menu contains "${label}"`);
    const steps = labels.indexOf(label) - labels.indexOf((await focused.textContent()) ?? '');
    for (let presses = 0; presses < Math.abs(steps); presses += 1) {
      await this.page.keyboard.press(steps > 0 ? 'ArrowDown' : 'ArrowUp');
    }
    assert.equal(await focused.textContent(), label);
    await this.page.keyboard.press('Enter');
    // While the menu slides up, Enter would open it again without a focus.
    await this.page.locator('.red-ui-typedInput-options:visible').waitFor({ state: 'hidden' });
  }

  /** Chooses from a list in a row of changes, counted from 1: that of the field, or of the action. */
  async chooseInRow(row: number, list: 'field' | 'action', beginning: string): Promise<void> {
    await this.#choose(`#node-input-changes-container > :nth-child(${row}) .stash-change-${list}`, beginning);
  }

  /** Types the value of a row of changes, counted from 1. */
  async typeInRow(row: number, text: string): Promise<void> {
    await this.focus(`#node-input-changes-container > :nth-child(${row}) .red-ui-typedInput-input`);
    await this.#replace(text);
  }

  async chooseTypeInRow(row: number, label: string): Promise<void> {
    await this.#chooseType(`#node-input-changes-container > :nth-child(${row})`, label);
  }

  /** Checks that the part of a row of changes, counted from 1, is red, with the reason below it. */
  async tellsInRow(row: number, part: 'field' | 'value', reason: string): Promise<void> {
    const within = this.page.locator(`#node-input-changes-container > :nth-child(${row})`);
    await within.locator('.stash-change-problem').getByText(reason, { exact: true }).waitFor();
    const of = { field: '.stash-change-field', value: '.stash-change-value' }[part];
    await within.locator(`${of}.input-error`).waitFor();
    await within.locator('[aria-invalid="true"][aria-describedby]').last().waitFor({ state: 'attached' });
  }

  /** Chooses from a list that is not saved in the flow file, such as "scope". */
  async chooseOwn(name: string, beginning: string): Promise<void> {
    await this.#choose(`#stash-${name}`, beginning);
  }

  /** Ticks or unticks a field, by its name in the server's schema. */
  async chooseField(name: string): Promise<void> {
    await this.#press(this.#choices.getByTitle(name, { exact: true }).locator('input'), 'Space');
  }

  /** Presses the button that unticks all fields. */
  async chooseNoField(): Promise<void> {
    await this.#press(this.#choices.getByText(words('server', 'choices.none')), 'Enter');
  }

  get #choices(): Locator {
    return this.page.locator(`${this.form} .stash-choices`);
  }

  /** Moves the focus to an element that has no id, and presses a key. */
  async #press(target: Locator, key: string): Promise<void> {
    await target.focus();
    await this.page.keyboard.press(key);
  }

  /** Returns whether an input is visible, or the typed input that replaces it. */
  async isShown(property: string): Promise<boolean> {
    return await this.#seen(property).isVisible();
  }

  async isFlagged(property: string): Promise<boolean> {
    return await this.input(property).evaluate((input) => input.classList.contains('input-error'));
  }

  /** Checks that an input is red, with the reason below it. */
  async tells(property: string, reason: string | RegExp): Promise<void> {
    await this.page
      .locator(`#${this.prefix}-${property}-problem`)
      .getByText(reason, { exact: true })
      .waitFor();
    assert.ok(await this.isFlagged(property), `${property} is flagged`);
  }

  /** Checks that an input is valid, with no reason below it. */
  async isSilent(property: string): Promise<void> {
    await this.page.locator(`#${this.prefix}-${property}-problem:empty`).waitFor({ state: 'attached' });
    assert.equal(await this.isFlagged(property), false, `${property} is not flagged`);
  }

  /** Returns all values that the dialog shows, by property; for a list of fields, the ticked ones. */
  async values(): Promise<Record<string, unknown>> {
    return await this.page.locator(this.form).evaluate((form, prefix) => {
      const ticked = (list: Element) => [
        ...(list.parentElement?.querySelectorAll('.stash-choices-columns input:checked') ?? []),
      ];
      const shown = (input: Element): unknown => {
        if (input instanceof HTMLSelectElement) {
          return input.multiple
            ? ticked(input).map((box) => box.parentElement?.title)
            : input.selectedOptions[0]?.text;
        }
        if (!(input instanceof HTMLInputElement)) return undefined;
        return input.type === 'checkbox' ? input.checked : input.value;
      };
      const inputs = [...form.querySelectorAll(`input[id^="${prefix}-"], select[id^="${prefix}-"]`)];
      return Object.fromEntries(inputs.map((input) => [input.id.slice(prefix.length + 1), shown(input)]));
    }, this.prefix);
  }

  /** Returns the visible part of an input: the input itself, or the typed input that replaces it. */
  #seen(property: string): Locator {
    return this.page.locator(`#${this.prefix}-${property}:visible, ${this.#typedInput(property)}`);
  }

  /** Returns the selector of the typed input that replaces an input. */
  #typedInput(property: string): string {
    return `#${this.prefix}-${property} + .red-ui-typedInput-container`;
  }

  /** Presses Done or Add, and waits until the dialog is closed. */
  async close(): Promise<void> {
    await this.#leave(this.done);
  }

  async cancel(): Promise<void> {
    await this.#leave(this.done.replace('ok', 'cancel'));
  }

  /** Waits until the dialog has the focus, which it takes while it slides in. */
  protected async ready(): Promise<this> {
    await this.input('name').waitFor();
    await this.page.locator('.red-ui-tray-body :focus').waitFor();
    await this.#atRest();
    return this;
  }

  async #leave(button: string): Promise<void> {
    await this.page.locator(button).click();
    await this.page.locator(this.form).waitFor({ state: 'detached' });
    await this.#atRest();
    // The editor draws changes in its next frame, which comes late on a busy machine.
    await this.page.evaluate(
      () =>
        new Promise((drawn) => {
          requestAnimationFrame(() => requestAnimationFrame(drawn));
        }),
    );
  }

  /** Waits until this dialog, or the one below it, has slid in: a click may miss a moving element. */
  async #atRest(): Promise<void> {
    await this.page.waitForFunction(() =>
      [...document.querySelectorAll('.red-ui-tray')].every((tray) => getComputedStyle(tray).right === '0px'),
    );
  }

  async #replace(text: string): Promise<void> {
    await this.page.keyboard.press('ControlOrMeta+A');
    if (text === '') await this.page.keyboard.press('Delete');
    else await this.enter(text);
  }

  /**
   * Types a text where the focus is. Its last character has the events of keys; the others come at once, because the editor
   * works as long for each key as for all of them.
   */
  protected async enter(text: string): Promise<void> {
    await this.page.keyboard.insertText(text.slice(0, -1));
    await this.page.keyboard.type(text.slice(-1));
  }
}

/** Opens the menu of a typed input by a click, and chooses from it. */
export async function chooseFromMenu(trigger: Locator, label: string): Promise<void> {
  const menu = trigger.page().locator('.red-ui-typedInput-options:visible');
  await trigger.click();
  await menu.waitFor();
  await hasOpened(trigger.page());
  await menu.locator('a', { hasText: label }).click();
  await menu.waitFor({ state: 'hidden' });
}

/**
 * Waits until the menu of a typed input has slid down. After a choice before that, the menu comes back, or the next one opens
 * without a focus.
 */
async function hasOpened(page: Page): Promise<void> {
  await page.waitForFunction(() => $('.red-ui-typedInput-options:animated').length === 0);
}
