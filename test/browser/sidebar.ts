import assert from 'node:assert/strict';
import type { Locator, Page, Request } from 'playwright-core';
import { installPlugin } from '../support/changes';
import { openFilm, tell, watch } from '../support/playback';
import { words } from '../support/words';
import type { FakeStash } from '../fake-stash/fake-stash';
import { violations, walk } from './accessibility';
import { eventually } from './eventually';
import { SERVER, type Stage } from './stage';

/** The part of the editor's API that the tests use. */
declare const RED: {
  actions: { invoke(action: string): void };
  workspaces: { active(): string; show(id: string): void };
  menu: { setSelected(id: string, isSelected: boolean): void };
};

const TAB = 'sidebar';
const OTHER = 'sidebar-other';

/** In pixels: the narrowest and the widest sidebar of Node-RED, and some between them. */
const WIDTHS = [180, 250, 300, 600, 700];

const inject = (id: string, to: string, y: number, payload: string) => ({
  ...{ id, type: 'inject', z: TAB, x: 120, y, wires: [[to]], repeat: '', crontab: '', once: false },
  ...{ props: [{ p: 'payload' }], payload, payloadType: 'str' },
});

/** A flow that starts a scan, one that reports an error, and a playback node, for which a scene is watched for long. */
export const sidebarFlows: object[] = [
  { id: OTHER, type: 'tab', label: 'other', disabled: false, info: '' },
  { id: TAB, type: 'tab', label: 'sidebar', disabled: false, info: '' },
  inject('sidebar-start', 'sidebar-scan', 100, ''),
  {
    ...{ id: 'sidebar-scan', type: 'stash-scan', z: TAB, x: 360, y: 100, wires: [[]] },
    ...{ name: 'scan downloads', server: SERVER.id },
  },
  inject('sidebar-fail', 'sidebar-stop', 200, 'no job'),
  {
    ...{ id: 'sidebar-stop', type: 'stash-stop', z: TAB, x: 360, y: 200, wires: [[]] },
    ...{ server: SERVER.id, job: 'payload', jobType: 'msg' },
  },
  inject('sidebar-hold', 'sidebar-pause', 400, 'on'),
  {
    ...{ id: 'sidebar-pause', type: 'stash-pause', z: TAB, x: 360, y: 400, wires: [[]] },
    ...{ server: SERVER.id, paused: 'payload', pausedType: 'msg' },
  },
  {
    ...{ id: 'sidebar-playback', type: 'stash-playback', z: TAB, x: 120, y: 300, wires: [[]] },
    ...{ server: SERVER.id, quiet: '3600' },
  },
];

/** Starts a job as another client of the server does. */
export async function startElsewhere({ url, apiKey }: FakeStash): Promise<void> {
  await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey !== '' && { apikey: apiKey }) },
    body: JSON.stringify({ query: 'mutation { metadataScan(input: {}) }' }),
  });
}

/** The tab *Stash* in the sidebar, by hand. */
export class Sidebar {
  readonly content: Locator;
  /** The section of the server. */
  readonly server: Locator;
  readonly jobs: Locator;
  readonly stopButtons: Locator;
  readonly errors: Locator;

  private constructor(page: Page) {
    this.content = page.locator('.stash-activity');
    this.server = this.content.locator('.stash-server').filter({ hasText: SERVER.name });
    this.jobs = this.server.locator('.stash-job');
    this.stopButtons = this.jobs.locator('button.stash-job-stop');
    this.errors = this.server.locator('.stash-error');
  }

  /** Shows the tab. */
  static async open(page: Page): Promise<Sidebar> {
    await page.evaluate(() => {
      RED.actions.invoke('stash:show-stash-tab');
    });
    const sidebar = new Sidebar(page);
    await sidebar.server.waitFor();
    return sidebar;
  }

  /** Waits for a text of the catalogue in the section of the server. */
  async tells(key: string, values: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.server
      .getByText(words('server', key, values), { exact: true })
      .first()
      .waitFor();
  }
}

/** Describes the tab in the sidebar. */
export function describeSidebar(stage: Stage): void {
  /** The number of requests for its content. */
  let polls = 0;
  let sidebar: Sidebar;

  before(() => {
    // Until the last of the tests, the node has found out.
    watch(stage.stash, '2', 42);
    stage.editor.page.on('request', (request) => {
      if (request.url().endsWith('/stash-server/activity')) polls += 1;
    });
  });

  const hide = () =>
    stage.editor.page.evaluate(() => {
      RED.actions.invoke('core:show-info-tab');
    });
  it('the Stash tab shows a job, who started it, and stops it, by keyboard alone', async () => {
    const { editor, stash } = stage;
    const { page } = editor;
    assert.equal(polls, 0, 'it was never shown');
    sidebar = await Sidebar.open(page);
    await sidebar.tells('sidebar.jobs.none');
    await sidebar.tells('sidebar.sites.none');
    await sidebar.tells('sidebar.errors.none');
    await sidebar.tells('reachable', { release: 'v0.30.1' });
    assert.deepEqual(await violations(page, '.stash-activity'), []);
    const link = sidebar.server.getByRole('link', { name: words('server', 'link.stash') });
    assert.equal(await link.getAttribute('href'), stash.url);

    stash.jobs.hold();
    await editor.show(TAB);
    await editor.node('sidebar-start').press();
    const job = sidebar.jobs.first();
    await job.getByText('Scanning', { exact: true }).waitFor();
    await startElsewhere(stash);
    const bar = job.getByRole('progressbar', { name: 'Scanning' });
    const advances = (percent: string) =>
      eventually(
        () => bar.getAttribute('value'),
        (value) => {
          assert.equal(value, percent);
        },
      );
    await advances('0');
    const second = sidebar.jobs.nth(1);
    await second.getByText(words('server', 'sidebar.jobs.waits')).waitFor();
    assert.deepEqual(await violations(page, '.stash-activity'), []);
    await walk(page, '.stash-activity');

    await editor.show(OTHER);
    await job.getByRole('button', { name: 'scan downloads' }).press('Enter');
    assert.equal(await page.evaluate(() => RED.workspaces.active()), TAB);
    await editor.node('sidebar-scan').locator.waitFor();

    const stop = job.getByRole('button', { name: words('server', 'sidebar.jobs.stop', { job: 'Scanning' }) });
    await stop.focus();
    await stash.jobs.step();
    await advances('20');
    const isFocused = (locator: Locator) => locator.evaluate((element) => element === document.activeElement);
    assert.ok(await isFocused(stop), 'the focus survives a change');
    await page.keyboard.press('Enter');
    await job.getByText(words('server', 'progress.stopping')).waitFor();
    assert.equal(await stop.getAttribute('aria-disabled'), 'true');
    assert.ok(await isFocused(stop));
    // The row says so before the server does.
    await eventually(
      () => Promise.resolve(stash.jobs.find('1')?.status),
      (status) => {
        assert.equal(status, 'STOPPING');
      },
    );
    await stash.jobs.step();
    await eventually(
      () => sidebar.jobs.count(),
      (count) => {
        assert.equal(count, 1);
      },
    );
    assert.ok(
      await isFocused(sidebar.server.getByRole('heading', { name: words('server', 'sidebar.jobs.title') })),
    );
    assert.equal(stash.jobs.find('1')?.status, 'CANCELLED');
    stash.jobs.release();
    await sidebar.tells('sidebar.jobs.none');
  });

  it('the Stash tab stops a job that waits once, however often its button is pressed', async () => {
    const { page } = stage.editor;
    const { stash } = stage;
    const asked: Request[] = [];
    const onRequest = (request: Request) => {
      if (request.url().endsWith('/stash-server/stop')) asked.push(request);
    };
    page.on('request', onRequest);
    stash.jobs.hold();
    sidebar = await Sidebar.open(page);
    await startElsewhere(stash);
    await startElsewhere(stash);
    const waiting = sidebar.jobs.nth(1);
    await waiting.getByText(words('server', 'sidebar.jobs.waits')).waitFor();
    const button = waiting.locator('button.stash-job-stop');
    await page.route('**/stash-server/stop', async (route) => {
      assert.equal(await button.getAttribute('aria-disabled'), 'true');
      await button.dispatchEvent('click');
      await route.continue();
    });
    await button.click();
    await sidebar.tells('sidebar.jobs.stopped', { job: 'Scanning' });
    await eventually(
      () => sidebar.jobs.count(),
      (count) => {
        assert.equal(count, 1);
      },
    );
    assert.equal(asked.length, 1);
    page.off('request', onRequest);
    await page.unroute('**/stash-server/stop');
    stash.jobs.release();
    await sidebar.tells('sidebar.jobs.none');
  });

  it('the Stash tab shows an error with its remedy, and forgets it on request', async () => {
    const { editor } = stage;
    const { page } = editor;
    sidebar = await Sidebar.open(page);
    for (let count = 0; count < 2; count++) await editor.node('sidebar-fail').press();
    const values = { property: words('stop', 'field.job'), source: 'msg.payload' };
    const [text, remedy] = ['text', 'remedy'].map((part) =>
      words('server', `errors.BAD_INPUT.notJob.${part}`, values),
    );
    await sidebar.errors.getByText(`${text ?? ''} ${remedy ?? ''}`, { exact: true }).waitFor();
    await sidebar.errors.getByText('× 2').waitFor();
    assert.equal(await sidebar.errors.count(), 1);
    const parts = () => sidebar.server.locator('h4').allTextContents();
    const [jobs, sites, errors] = ['jobs', 'sites', 'errors'].map((name) =>
      words('server', `sidebar.${name}.title`),
    );
    const watched = words('server', 'sidebar.watched');
    await sidebar.server.locator('.stash-watched').waitFor();
    assert.deepEqual(await parts(), [watched, jobs, errors, sites]);
    assert.deepEqual(await violations(page, '.stash-activity'), []);
    await editor.show(OTHER);
    await sidebar.errors.getByRole('button', { name: words('stop', 'node') }).click();
    assert.equal(await page.evaluate(() => RED.workspaces.active()), TAB);

    await sidebar.server
      .getByRole('button', { name: words('server', 'sidebar.errors.clear') })
      .press('Enter');
    await sidebar.tells('sidebar.errors.none');
    assert.deepEqual(await parts(), [watched, jobs, sites, errors]);
  });

  it('the Stash tab shows what is being watched, with the picture, the position and a link', async () => {
    const { page } = stage.editor;
    sidebar = await Sidebar.open(page);
    const scene = sidebar.server.locator('.stash-watched');
    await scene.getByText('42 s / 1 min').waitFor();
    const link = scene.getByRole('link', { name: 'Morning Ferry' });
    assert.equal(await link.getAttribute('href'), `${stage.stash.url}/scenes/2`);
    const bar = scene.getByRole('progressbar', { name: 'Morning Ferry' });
    assert.deepEqual([await bar.getAttribute('value'), await bar.getAttribute('max')], ['42', '60']);
    const picture = scene.locator('img');
    await picture.waitFor();
    assert.ok(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth > 0));
    assert.deepEqual(await violations(page, '.stash-activity'), []);
  });

  it('the Stash tab pauses a film in a page of Stash', async () => {
    const { editor, stash } = stage;
    const { plugins } = stash;
    installPlugin(stash);
    openFilm(stash, { id: 'b2', scene: '2' });
    sidebar = await Sidebar.open(editor.page);
    const scene = sidebar.server.locator('.stash-watched');
    await scene.waitFor();
    assert.equal(await scene.getByRole('button').count(), 0, 'nobody knows which page plays it');
    // It has played long enough to be who has saved in the test before.
    tell(stash, 'playing', { id: 'b2', scene: '2', seconds: 60 });
    const title = 'Morning Ferry';
    await scene.getByRole('button', { name: words('server', 'sidebar.film.pause', { title }) }).click();
    const play = scene.getByRole('button', { name: words('server', 'sidebar.film.play', { title }) });
    await play.waitFor();
    assert.deepEqual(await violations(editor.page, '.stash-activity'), []);
    stash.players = [];
    await play.press('Enter');
    await sidebar.tells('sidebar.film.notObeyed');
    // The next tests are of a server without the plugin.
    stash.plugins = plugins;
  });

  it('the Stash tab shows what waits for the end of a pause, and ends it', async () => {
    const { editor, stash } = stage;
    const before = stash.requests.filter(({ operation }) => operation === 'metadataScan').length;
    sidebar = await Sidebar.open(editor.page);
    await editor.node('sidebar-hold').press();
    const pause = sidebar.server.locator('.stash-pause');
    await pause.waitFor();
    await editor.node('sidebar-start').press();
    await pause.getByText(words('server', 'sidebar.pause.waiting_one', { count: 1 })).waitFor();
    await sidebar.tells('sidebar.jobs.none');
    await pause.getByRole('button', { name: words('server', 'sidebar.pause.end') }).click();
    await pause.waitFor({ state: 'hidden' });
    await eventually(
      () => Promise.resolve(stash.requests.filter(({ operation }) => operation === 'metadataScan').length),
      (count) => {
        assert.equal(count, before + 1);
      },
    );
    await sidebar.tells('sidebar.jobs.none');
  });

  it('the Stash tab fits in any width of the sidebar', async () => {
    const { editor, stash } = stage;
    const { page } = editor;
    stash.jobs.hold();
    sidebar = await Sidebar.open(page);
    await startElsewhere(stash);
    await editor.node('sidebar-fail').press();
    await sidebar.errors.waitFor();
    await sidebar.jobs.locator('progress:visible').waitFor();
    for (const width of WIDTHS) {
      const wide = await sidebar.content.evaluate((element, pixels) => {
        element.style.width = `${pixels}px`;
        const { right } = element.getBoundingClientRect();
        const all = [...element.querySelectorAll<HTMLElement>('*')];
        return all
          .filter((one) => one.offsetWidth > 0 && one.getBoundingClientRect().right > right)
          .map(({ outerHTML }) => outerHTML.slice(0, 80));
      }, width);
      assert.deepEqual(wide, [], `${width} px`);
    }
    await sidebar.content.evaluate((element) => {
      element.style.width = '';
    });
    stash.jobs.release();
    await sidebar.tells('sidebar.jobs.none');
  });

  it('the Stash tab requests nothing while it is hidden, and is up to date when it is shown again', async () => {
    const { editor, stash } = stage;
    const { page } = editor;
    sidebar = await Sidebar.open(page);
    await hide();
    const before = polls;
    stash.jobs.hold();
    await startElsewhere(stash);
    assert.equal(polls, before);
    await Sidebar.open(page);
    await sidebar.jobs.waitFor();

    // The tab of the browser goes to the background.
    const setVisibility = (state: 'hidden' | 'visible') =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state);
    await setVisibility('hidden');
    const hidden = polls;
    stash.jobs.release();
    await eventually(
      () => Promise.resolve(stash.jobs.queue),
      (queue) => {
        assert.equal(queue, null);
      },
    );
    assert.equal(polls, hidden);
    await setVisibility('visible');
    await sidebar.tells('sidebar.jobs.none');
    await hide();
  });

  it('the Stash tab tells when Node-RED does not respond, and comes back by itself', async () => {
    const { page } = stage.editor;
    await page.route('**/stash-server/activity', (route) => route.abort());
    await page.evaluate(() => {
      RED.actions.invoke('stash:show-stash-tab');
    });
    await sidebar.content.getByText(words('server', 'sidebar.broken')).waitFor();
    for (const [status, key] of [
      [401, 'sidebar.forbidden'],
      [200, 'sidebar.broken'],
    ] as const) {
      await page.unroute('**/stash-server/activity');
      const respond = { status, contentType: 'text/html', body: '<!doctype html>\n<title>Sign in</title>' };
      await page.route('**/stash-server/activity', (route) => route.fulfill(respond));
      await sidebar.content.getByText(words('server', key)).waitFor();
    }
    await page.unroute('**/stash-server/activity');
    await eventually(
      () => sidebar.content.innerText(),
      (text) => {
        for (const key of ['sidebar.broken', 'sidebar.forbidden']) {
          assert.ok(!text.includes(words('server', key)), text);
        }
      },
    );
    await hide();
    // The browser logs each aborted and each refused request.
    const isOwn = (line: string) => /net::ERR_FAILED|status of 40[13]/.test(line);
    const { errors } = stage.editor;
    errors.splice(0, errors.length, ...errors.filter((line) => !isOwn(line)));
  });
}
