import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Example } from '../support/example';
import { untilFollowed } from '../support/followed';
import { installed } from '../support/root';
import { userDirWithPackage } from '../support/user-dir';
import { FakeStash } from '../fake-stash/fake-stash';
import { otherTask } from '../fake-stash/tasks';
import { launchChromium } from './chromium';
import { eventually } from './eventually';

const NAME = 'The library on a page';
const TITLE = 'Été à Zürich';
const PHONE = { width: 390, height: 844 };

describe(`The example "${NAME}" with the real Dashboard`, function () {
  this.timeout(30_000);
  let browser: Browser;
  let userDir: string;
  let stash: FakeStash;
  let example: Example;
  let page: Page;

  before(async () => {
    browser = await launchChromium();
    userDir = await userDirWithPackage();
    addDashboard(userDir);
    stash = await FakeStash.start({ release: 'v0.30.1', jobSeconds: 2 });
    example = await Example.start(userDir, NAME, stash.url);
    await untilFollowed(stash);
    page = await (await browser.newContext({ viewport: PHONE })).newPage();
    await page.goto(`${example.nodeRed.url}/stash-dashboard`);
  });
  after(async () => {
    await browser.close();
    await example.stop();
    await stash.stop();
    rmSync(userDir, { recursive: true, force: true });
  });

  it('shows the state of the server on a phone, without a sideways scroll', async () => {
    await page.getByText('nas reports status OK (Stash v0.30.1, 5 scenes)').waitFor();
    const [inner, scroll] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
    assert.equal(scroll, inner);
  });

  it('shows the last event and the progress of a job, whoever started it', async () => {
    stash.jobs.hold();
    stash.jobs.add(otherTask('Cleaning...', 'Cleaning a', 'Cleaning b'));
    await page.getByText(/^Job \d+ \(Cleaning\) on nas started\.$/).waitFor();
    await stash.jobs.step();
    const bar = page.getByRole('progressbar');
    await eventually(
      () => bar.getAttribute('aria-valuenow'),
      (percent) => {
        assert.ok(Number(percent) > 0);
      },
    );
    stash.jobs.release();
    await page.getByText(/^Job \d+ \(Cleaning\) on nas finished/).waitFor();
  });

  it('shows a finished job as 100 %', async () => {
    await page.getByText('Progress: 100%').waitFor();
  });

  it('does what each button says, and tells the result in a notification', async () => {
    stash.jobs.seconds = 0.1;
    for (const [button, result] of [
      ['Scan', /^Scan on nas finished/],
      ['Generate', /^Generate task on nas finished/],
      ['Back up', /^nas backed up its database/],
      ['Stop all', /^nas has no jobs to stop\.$/],
    ] as const) {
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByText(result).first().waitFor();
    }
  });

  it('shows each new scene with its title and a link, also after a reload', async () => {
    stash.library.add({ path: '/media/videos/x.mp4', title: TITLE }, '2026-01-11T04:41:59Z');
    stash.jobs.add(otherTask('Scanning...', 'a step'));
    const scene = page.getByRole('link', { name: TITLE });
    await scene.waitFor();
    await page.reload();
    await scene.waitFor();
    assert.equal(await scene.getAttribute('href'), `${stash.url}/scenes/6`);
  });

  it('shows the picture of a new scene', async () => {
    const scene = page.getByRole('link', { name: TITLE });
    assert.match((await scene.locator('img').getAttribute('src')) ?? '', /^data:image\/png;base64,/);
  });

  it('says in its first line, and nowhere else, that the server is off', async () => {
    await stash.stop();
    await example.press('every minute');
    const reason = 'Nothing answers at';
    await page.locator('.nrdb-ui-text').first().getByText(reason).waitFor();
    assert.equal(await page.getByText(reason).count(), 1);
  });
});

/** Adds Dashboard 2.0 to what is installed in a user directory. */
function addDashboard(userDir: string): void {
  const modules = path.join(userDir, 'node_modules');
  const packages = realpathSync(modules);
  rmSync(modules);
  mkdirSync(modules);
  for (const name of readdirSync(packages)) link(path.join(packages, name), path.join(modules, name));
  link(path.join(installed, 'dashboard', 'node_modules', '@flowfuse'), path.join(modules, '@flowfuse'));
}

function link(target: string, place: string): void {
  symlinkSync(target, place, 'junction');
}
