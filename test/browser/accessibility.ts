import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');

/** The part of axe-core that the tests use. */
declare const axe: {
  run(
    selector: string,
    options: { resultTypes: string[]; selectors: boolean },
  ): Promise<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>;
};

/** The part of the dialog that this package defines; Node-RED adds the rest. */
const FORM = '.stash-form';

/** Returns the findings of axe-core in the open dialog, or another part of the page, one line for each element. */
export async function violations(page: Page, part = FORM): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  return await page.evaluate(async (selector) => {
    const found = await axe.run(selector, { resultTypes: ['violations'], selectors: false });
    return found.violations.flatMap(({ id, impact, nodes }) =>
      nodes.map(({ html }) => `${impact}: ${id}: ${html}`),
    );
  }, part);
}

/** The page keeps where the focus has been. */
declare global {
  interface Window {
    walked: { controls: string[]; end(): void };
  }
}

/**
 * Presses the Tab key in the open dialog, or another part of the page, until the focus has passed each control that it has not
 * passed before. What a state adds to a dialog is mostly a few of them.
 */
export async function walk(page: Page, part = FORM): Promise<void> {
  const expected = await page.locator(part).evaluate((element) => {
    // Node-RED's editor for text takes the focus with one of the last two.
    const all = element.querySelectorAll<HTMLElement>(
      'a, button, input, select, summary, textarea, .native-edit-context, [role="region"]',
    );
    const controls = [...all].filter(
      (control) =>
        control.offsetParent !== null &&
        control.tabIndex >= 0 &&
        !control.matches(':disabled, .disabled, [type="hidden"]'),
    );
    if (controls.length < 3) throw new Error('there is hardly a control');
    const isNew = controls.map(({ dataset }) => dataset['walked'] === undefined);
    const way = controls.slice(Math.max(isNew.indexOf(true) - 1, 0), isNew.lastIndexOf(true) + 1);
    const name = ({ outerHTML }: Element) => outerHTML.slice(0, 120);
    const names = way.map(name);
    const passed: string[] = [];
    const note = ({ target }: FocusEvent) =>
      passed.push(names[way.indexOf(target as HTMLElement)] ?? name(target as HTMLElement));
    document.addEventListener('focusin', note);
    window.walked = {
      controls: passed,
      end() {
        document.removeEventListener('focusin', note);
        for (const control of way) control.dataset['walked'] = '';
      },
    };
    (document.activeElement as HTMLElement).blur();
    way[0]?.focus();
    return names;
  });
  for (let count = 1; count < expected.length; count += 1) await page.keyboard.press('Tab');
  const passed = await page.evaluate(() => {
    window.walked.end();
    return window.walked.controls;
  });
  assert.deepEqual(passed, expected);
}
