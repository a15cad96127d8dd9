import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { Example } from '../support/example';
import { untilFollowed } from '../support/followed';
import { installPlugin } from '../support/changes';
import { hasPolled, openFilm, tell, watch } from '../support/playback';
import { addDashboard, userDirWithPackage } from '../support/user-dir';
import { until } from '../support/waiting';
import { FakeStash } from '../fake-stash/fake-stash';
import type { Entry } from '../fake-stash/library';
import type { Player } from '../fake-stash/players';
import { otherTask } from '../fake-stash/tasks';
import { launchChromium } from './chromium';
import { eventually } from './eventually';

const NAME = 'The library on a page';
const TITLE = 'Été à Zürich';
const PHONE = { width: 390, height: 844 };
const SIZES = [PHONE, { width: 800, height: 900 }, { width: 1280, height: 800 }];
/** The node of another flow that pauses jobs. */
const PAUSE = 'pause-of-another-flow';

describe(`The example "${NAME}" with the real Dashboard`, function () {
  this.timeout(30_000);
  let browser: Browser;
  let userDir: string;
  let stash: FakeStash;
  let example: Example;
  let page: Page;
  let added: Entry;

  before(async () => {
    browser = await launchChromium();
    userDir = await userDirWithPackage();
    addDashboard(userDir);
    stash = await FakeStash.start({ release: 'v0.30.1', jobSeconds: 2 });
    for (const scene of stash.library.all('scene').slice(0, 1)) stash.library.studioOf.set(scene, '1');
    example = await Example.start(userDir, NAME, stash.url);
    await untilFollowed(stash);
    await until(() => hasPolled(stash));
    watch(stash, '2', 42);
    watch(stash, '3', 70);
    page = await (await browser.newContext({ viewport: PHONE })).newPage();
    await page.goto(`${example.nodeRed.url}/stash-dashboard`);
  });
  after(async () => {
    await browser.close();
    await example.stop();
    await stash.stop();
    rmSync(userDir, { recursive: true, force: true });
  });

  it('shows the state of the server in one line', async () => {
    await page.getByText('5 scenes · no jobs · v0.30.1', { exact: true }).waitFor();
  });

  it('shows how much of the library is in order', async () => {
    await withAStudio(20);
  });

  it('shows the last event and the progress of a job, whoever started it', async () => {
    stash.jobs.hold();
    stash.jobs.add(otherTask('Cleaning...', 'Cleaning a', 'Cleaning b'));
    await page.getByText(/^Job \d+ \(Cleaning\) on nas (started|is at 0\s%)\.$/).waitFor();
    await stash.jobs.step();
    const bar = page.getByRole('progressbar', { name: 'Progress' });
    await eventually(
      () => bar.getAttribute('aria-valuenow'),
      (percent) => {
        assert.ok(Number(percent) > 0);
      },
    );
    stash.jobs.release();
    await page.getByText(/^Job \d+ \(Cleaning\) on nas finished/).waitFor();
    assert.equal(await bar.count(), 0);
  });

  it('does what each button says, and tells the result in a notification', async () => {
    stash.jobs.seconds = 0.1;
    for (const [button, result] of [
      ['Scan', /^Scan on nas finished/],
      ['Generate', /^Generate task on nas finished/],
      ['Back up', /^nas backed up its database/],
    ] as const) {
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByText(result).first().waitFor();
    }
  });

  it('asks before it stops all jobs', async () => {
    const button = page.getByRole('button', { name: 'Stop all', exact: true });
    const question = page.getByText('Stop everything that runs or waits in Stash?');
    await button.click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    assert.ok(!stash.requests.some(({ operation }) => operation === 'stopJob'));
    await button.click();
    await question.waitFor();
    await button.last().click();
    await page.getByText('nas has no jobs to stop.').waitFor();
  });

  it('shows each new scene with its title and a link, also after a reload', async () => {
    added = stash.library.add({ path: '/media/videos/x.mp4', title: TITLE }, '2026-01-11T04:41:59Z');
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

  it('follows what a job has added or removed, also in the numbers', async () => {
    await withAStudio(16);
    stash.library.remove(added);
    stash.jobs.add(otherTask('Cleaning...', 'a step'));
    await page.getByRole('link', { name: TITLE }).waitFor({ state: 'detached' });
    await withAStudio(20);
  });

  it('shows what is being watched, with the picture, the position and a link', async () => {
    const scene = page.getByRole('link', { name: 'Morning Ferry 0:42 of 1:00' });
    await scene.waitFor();
    assert.equal(await scene.getAttribute('href'), `${stash.url}/scenes/2`);
    assert.match((await scene.locator('img').getAttribute('src')) ?? '', /^data:image\/png;base64,/);
    const position = scene.getByRole('progressbar', { name: 'Position' });
    assert.equal(await position.getAttribute('aria-valuenow'), '70');
  });

  it('shows what plays the scene, and pauses it and lets it play on at the press of a button, also after a reload', async () => {
    installPlugin(stash);
    // Nothing but this page plays it.
    // More than a page may send to Node-RED.
    stash.library.pictures.set('scene 4', { content: Buffer.alloc(2 ** 20), type: 'image/png' });
    openFilm(stash, { scene: '4', position: 51 });
    const [film] = stash.players as [Player];
    tell(stash, 'playing', film);
    await page.getByText(/^0:51\b[^·]* · Firefox on Linux$/).waitFor();
    await page.getByRole('button', { name: /^Pause / }).click();
    await page.getByText(/^0:51\b.* · paused · Firefox on Linux$/).waitFor();
    await page.getByText('Paused on nas: Firefox on Linux.').waitFor();
    assert.equal(film.state, 'paused');
    tell(stash, 'paused', { ...film, position: 55 });
    await page.getByText(/^0:55\b.* · paused · Firefox on Linux$/).waitFor();
    await page.reload();
    await page.getByRole('button', { name: /^Play / }).click();
    await page.getByText(/^0:51\b[^·]* · Firefox on Linux$/).waitFor();
    assert.equal(film.state, 'playing');
    stash.players = [];
    tell(stash, 'gone', film);
  });

  it('shows no position after the end of a scene', async () => {
    watch(stash, '3', 70);
    await page.getByRole('link', { name: '1:00 of 1:00' }).waitFor();
  });

  it('keeps a number and its unit on one line', async () => {
    stash.jobs.hold();
    stash.jobs.add(otherTask('Cleaning...', 'Cleaning a', 'Cleaning b'));
    await stash.jobs.step();
    await eventually(
      () => page.locator('.nrdb-ui-template p').first().textContent(),
      (text) => {
        assert.match(text ?? '', /\d\u00a0(s|%)/);
      },
    );
    stash.jobs.release();
    await until(() => stash.jobs.queue === null);
  });

  it('says that a job which a pause has stopped goes on afterwards', async () => {
    await example.addNode({ id: PAUSE, type: 'stash-pause', paused: 'true', pausedType: 'bool' });
    stash.jobs.hold();
    await page.getByRole('button', { name: 'Generate', exact: true }).click();
    await until(() => stash.jobs.queue?.[0]?.status === 'RUNNING');
    await fetch(`${example.nodeRed.url}/inject/${PAUSE}`, { method: 'POST' });
    await until(() => stash.jobs.queue?.[0]?.status === 'STOPPING');
    await example.press('every few seconds');
    await page.getByText(/^Jobs are paused\. ?1 job goes on afterwards\.$/).waitFor();
    stash.jobs.release();
    await page
      .getByText(/^Job \d+ \(Generating\) on nas was stopped by a pause, and goes on afterwards\.$/)
      .waitFor();
    await example.press('every few seconds');
    await page.getByText(/^Jobs are paused\. ?1 job goes on afterwards, 1 message waits\.$/).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page
      .getByText(/^Generate task on nas finished/)
      .first()
      .waitFor();
  });

  it('says that another flow has paused the jobs, what waits, also after a stop, and has a button that ends the pause', async () => {
    const resume = page.getByRole('button', { name: 'Resume' });
    assert.equal(await resume.count(), 0);
    await fetch(`${example.nodeRed.url}/inject/${PAUSE}`, { method: 'POST' });
    await resume.waitFor();
    await page.getByRole('button', { name: 'Scan', exact: true }).click();
    await page.getByText('Scan waits for the end of the pause.').waitFor();
    await example.press('every few seconds');
    await page.getByText(/^Jobs are paused\. ?1 message waits\.$/).waitFor();
    const stop = page.getByRole('button', { name: 'Stop all', exact: true });
    await stop.click();
    await page.getByText('Jobs that have not started because of the pause start when it ends.').waitFor();
    await stop.last().click();
    await page
      .getByText(/^nas has no jobs to stop; 1 message waits .* unless its node receives msg\.reset\.$/)
      .waitFor();
    await resume.click();
    await resume.waitFor({ state: 'detached' });
  });

  it('fits a phone, a tablet and a computer, in light and in dark colours', async () => {
    const colours = new Set<string>();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const size of SIZES) {
        await page.setViewportSize(size);
        const [inner, scroll, colour] = await page.evaluate(() => [
          innerWidth,
          document.documentElement.scrollWidth,
          getComputedStyle(document.querySelector('.v-application') as Element).backgroundColor,
        ]);
        assert.equal(scroll, inner, `${colorScheme}, ${size.width} px`);
        colours.add(colour);
      }
    }
    assert.deepEqual([...colours], ['rgb(238, 242, 245)', 'rgb(16, 24, 32)']);
    await page.setViewportSize(PHONE);
  });

  it('says in its first line, and nowhere else, that the server is off', async () => {
    await stash.stop();
    await example.press('every minute');
    await page
      .locator('.nrdb-ui-text')
      .first()
      .getByText(/^Nothing answers at/)
      .waitFor();
    assert.equal(await page.getByText('Nothing answers at').count(), 1);
  });

  it('shows the library as it is once the server is back', async () => {
    stash = await FakeStash.start({ release: 'v0.30.1', port: stash.port });
    stash.library.add({ path: '/media/videos/y.mp4', title: TITLE }, '2026-01-11T04:41:59Z');
    await page.getByRole('link', { name: TITLE }).waitFor();
    await withAStudio(0);
  });

  async function withAStudio(percent: number): Promise<void> {
    await page.getByRole('row', { name: new RegExp(`^With a studio .*\\b${percent} %$`) }).waitFor();
  }
});
