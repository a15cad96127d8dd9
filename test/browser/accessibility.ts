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

/** Presses the Tab key in the open dialog, or another part of the page, until the focus has passed its last control. */
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
    controls[0]?.focus();
    for (const [index, control] of controls.entries()) control.dataset['walk'] = String(index);
    return controls.map(({ outerHTML }) => outerHTML.slice(0, 120));
  });
  const seen: number[] = [];
  while (seen.length < expected.length) {
    seen.push(await page.evaluate(() => Number((document.activeElement as HTMLElement).dataset['walk'])));
    await page.keyboard.press('Tab');
  }
  assert.ok(expected.length > 2);
  assert.deepEqual(
    seen.map((index) => expected[index]),
    expected,
  );
}
