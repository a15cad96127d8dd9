import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../browser/chromium';
import { eventually } from '../browser/eventually';
import { root } from '../support/root';

const SCRIPT = readFileSync(path.join(root, 'plugin', 'node-red-page.js'), 'utf8');

/** A page of Stash: its player, and the preview of another scene. */
const PAGE = `<!doctype html><base href="/base/">
<div class="VideoPlayer"><div class="video-js"><video id="film" muted></video></div></div>
<video id="preview" muted></video>`;

/** Records a film of three seconds, because a browser without licences plays no other. */
const RECORD = async (): Promise<string> => {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm' });
  const parts: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
  const timer = setInterval(() => context?.fillRect(0, 0, Math.random() * 90, 9), 40);
  recorder.start();
  await new Promise((resolve) => setTimeout(resolve, 3000));
  recorder.stop();
  await new Promise((resolve) => recorder.addEventListener('stop', resolve));
  clearInterval(timer);
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
};

describe('The script of the plugin in a page of Stash', function () {
  this.timeout(30_000);
  let browser: Browser;
  let page: Page;
  let film: Buffer;
  let told: {
    scene: string;
    state: string;
    count: number;
    name: string;
    position: number;
    seconds: number;
    id: string;
    command?: string;
  }[];
  /** What stands in the plugin's settings. */
  let commands: unknown;

  /** What the pages belong to. */
  const stash = createServer((request, response) => {
    if (request.method === 'GET') {
      const isFilm = request.url === '/base/film.webm';
      response.setHeader('content-type', isFilm ? 'video/webm' : 'text/html').end(isFilm ? film : PAGE);
      return;
    }
    void json(request).then((body) => {
      const { variables } = body as { variables?: { args: { player: (typeof told)[0] } } };
      if (variables) told.push(variables.args.player);
      const plugins = { 'node-red': { commands: JSON.stringify(commands) } };
      response.end(JSON.stringify({ data: { configuration: { plugins } } }));
    });
  });
  const open = async (scene: number) => {
    const { port } = stash.address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/base/scenes/${scene}?qsort=date`);
    await page.addScriptTag({ content: SCRIPT.replace('POLL = 2000', 'POLL = 50') });
  };

  before(async () => {
    browser = await launchChromium();
    await once(stash.listen(0, '127.0.0.1'), 'listening');
    page = await browser.newPage();
    film = Buffer.from(String(await page.evaluate(`(${String(RECORD)})()`)), 'base64');
    await page.close();
  });
  after(async () => {
    await browser.close();
    stash.close();
  });
  beforeEach(async () => {
    told = [];
    commands = [];
    page = await browser.newPage();
    await open(12);
  });
  afterEach(() => page.close());

  const play = (id: string) =>
    page.evaluate(`(async () => {
      const video = document.getElementById('${id}');
      if (!video.src) video.src = 'film.webm';
      await video.play();
    })()`);
  const run = (code: string) =>
    page.evaluate(`(() => { const video = document.getElementById('film'); ${code} })()`);
  const states = () => told.map(({ scene, state }) => `${state} ${scene}`);
  const expect = (...expected: string[]) =>
    eventually(
      () => Promise.resolve(states()),
      (found) => assert.deepEqual(found, expected),
    );

  it('tells that a film plays, is paused, goes on and ends, with numbers that grow', async () => {
    await play('film');
    await expect('playing 12');
    await run('video.pause()');
    await expect('playing 12', 'paused 12');
    await play('film');
    await expect('playing 12', 'paused 12', 'playing 12', 'gone 12');
    assert.deepEqual(
      told.map(({ count }) => count),
      [1, 2, 3, 4],
    );
    assert.equal(told[0]?.name, 'Chrome on Linux');
    const last = told[3];
    assert.ok(last && last.seconds > 1.5 && last.seconds < 4 && last.position > 1.5, JSON.stringify(last));
  });

  it('tells nothing of a click on the time line, which pauses a film and lets it go on', async () => {
    await play('film');
    await expect('playing 12');
    await run('video.pause(); video.currentTime = 0.5; video.play();');
    await page.waitForTimeout(600);
    assert.deepEqual(states(), ['playing 12']);
  });

  it('tells nothing of previews', async () => {
    await play('preview');
    await page.waitForTimeout(600);
    assert.deepEqual(states(), []);
  });

  it('tells that a film has gone when its page is left, or its player', async () => {
    await play('film');
    await expect('playing 12');
    await run("video.closest('.VideoPlayer').remove(); video.src = '';");
    await expect('playing 12', 'gone 12');
    await open(13);
    await play('film');
    await expect('playing 12', 'gone 12', 'playing 13');
    await page.goto('about:blank');
    await expect('playing 12', 'gone 12', 'playing 13', 'gone 13');
  });

  it('tells that the next film of a list plays in the same player', async () => {
    await play('film');
    await expect('playing 12');
    await run("history.pushState(null, '', 'scenes/14'); video.src = 'film.webm'; video.play();");
    await expect('playing 12', 'gone 12', 'playing 14');
  });

  it('tells every ten seconds that a film goes on, also when the clock of the machine was set back', async () => {
    await play('film');
    await expect('playing 12');
    await run('const now = performance.now(); Date.now = () => 0; performance.now = () => now + 10_001;');
    await expect('playing 12', 'playing 12');
  });

  it('takes no reload of the film for its end, as for a seek in one that is transcoded', async () => {
    await play('film');
    await expect('playing 12');
    await run("video.src = 'film.webm'; setTimeout(() => video.play(), 700);");
    await page.waitForTimeout(1500);
    assert.deepEqual(states(), ['playing 12']);
  });

  describe('obeys a command', () => {
    /** Resolves when a page says that it has obeyed. */
    const obeyed = (id: string) =>
      eventually(
        () => Promise.resolve(told.filter(({ command }) => command !== undefined)),
        (found) => assert.equal(found.at(-1)?.command, id),
      );
    const isPaused = () => run('return video.paused');

    it('that comes into the settings of the plugin while there is a film: pause, play, seek', async () => {
      commands = [{ id: 'old', player: null, action: 'stop', value: null }];
      await play('film');
      await expect('playing 12');
      const one = { id: 'one', player: null, action: 'pause', value: null };
      commands = [{ id: 'old', player: null, action: 'stop', value: null }, one];
      await obeyed('one');
      assert.equal(await isPaused(), true);
      assert.equal(told.at(-1)?.state, 'paused');
      await run("let at = 0; video.closest('.video-js').player = { currentTime: (to = at) => (at = to) };");
      commands = [{ id: 'two', player: told[0]?.id, action: 'seek', value: 1 }];
      await obeyed('two');
      assert.equal(told.at(-1)?.position, 1);
      commands = [{ id: 'three', player: null, action: 'play', value: null }];
      await obeyed('three');
      assert.equal(await isPaused(), false);
    });

    it('to show a text, which is text, over the film', async () => {
      await play('film');
      await expect('playing 12');
      commands = [{ id: 'one', player: null, action: 'message', value: '<b>At the door</b>' }];
      await obeyed('one');
      assert.equal(
        await run('return video.parentElement.lastElementChild.textContent'),
        '<b>At the door</b>',
      );
    });

    it('after settings that somebody else has made', async () => {
      commands = [null, 5, 'x'];
      await play('film');
      await expect('playing 12');
      await run('video.loop = true');
      for (const wrong of [null, 5, 'x', {}, [null], [[]], { length: 1 }]) {
        commands = wrong;
        await page.waitForTimeout(150);
      }
      commands = [null, { id: 'one', player: null, action: 'message', value: 'x' }];
      await obeyed('one');
    });

    it('also while the film waits for its data, and another one has not obeyed for it', async () => {
      await play('film');
      await expect('playing 12');
      await run('video.play = () => new Promise((resolve) => (window.goOn = resolve))');
      commands = [{ id: 'one', player: null, action: 'play', value: null }];
      await page.waitForFunction('window.goOn');
      commands = [{ id: 'two', player: null, action: 'pause', value: null }];
      await obeyed('two');
      await run("history.pushState(null, '', 'scenes/14'); delete video.play; video.play();");
      await expect('playing 12', 'paused 12', 'gone 12', 'playing 14');
      await run('window.goOn()');
      await page.waitForTimeout(200);
      await expect('playing 12', 'paused 12', 'gone 12', 'playing 14');
    });

    it('to stop: it pauses, and leaves for the list of scenes', async () => {
      await play('film');
      await expect('playing 12');
      commands = [{ id: 'one', player: null, action: 'stop', value: null }];
      await page.waitForURL('**/base/scenes');
      await expect('playing 12', 'paused 12', 'gone 12');
    });

    it('once, and none for another player, an unknown one, or one that is none', async () => {
      await play('film');
      await expect('playing 12');
      await run('video.pause()');
      await expect('playing 12', 'paused 12');
      commands = [
        { id: 'one', player: 'another', action: 'play' },
        { id: 'two', player: null, action: 'explode' },
        { id: 'three', player: null, action: 'seek', value: 'x' },
        { id: 'four', player: null, action: 'message', value: 'x' },
      ];
      await obeyed('four');
      commands = [
        { id: 'four', player: null, action: 'message', value: 'x' },
        { id: 'five', player: null, action: 'message', value: 'x' },
      ];
      await obeyed('five');
      assert.deepEqual(
        told.flatMap(({ command }) => command ?? []),
        ['four', 'five'],
      );
      assert.equal(await isPaused(), true);
    });
  });
});
