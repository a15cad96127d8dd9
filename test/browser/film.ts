// `npm run pictures` films the flow of the README: a real editor, the fake server, and a page of it in which somebody plays a film.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { html } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { Broker } from '../support/broker';
import { installPlugin } from '../support/changes';
import { exampleNodes } from '../support/examples';
import { NodeRed } from '../support/node-red';
import { installed, root } from '../support/root';
import { userDirWithPackage } from '../support/user-dir';
import { until } from '../support/waiting';
import { launchChromium } from './chromium';

const SERVER = 'server-of-the-film';
const TOPIC = 'stash/watching';
const TITLE = 'Paper Lanterns';
const SIZE = { width: 504, height: 406 };
/** The height of the room, below which the flow is. */
const ROOM = 200;
/** In seconds: the film, and the job if nothing stops it. */
const [FILM, JOB] = [7, 6];
/** In milliseconds, from one frame to the next. */
const EVERY = 250;

interface Frame {
  at: number;
  png: Buffer;
}

/** The part of sharp that joins frames. It is not installed for the tests. */
type Sharp = (
  frames: readonly Buffer[],
  options: object,
) => { webp(options: object): { toFile(file: string): Promise<unknown> } };

async function main(): Promise<void> {
  const stash = await FakeStash.start({ jobSeconds: JOB, release: 'v0.30.1' });
  const broker = await Broker.start();
  const userDir = await userDirWithPackage();
  writeFileSync(path.join(userDir, 'flows.json'), JSON.stringify(flow(stash, broker)));
  const nodeRed = await NodeRed.start(userDir, {});
  const browser = await launchChromium();
  try {
    const context = await browser.newContext({ viewport: SIZE, deviceScaleFactor: 2 });
    const page = await context.newPage();
    await openStash(page, stash);
    const editor = await openEditor(page, nodeRed.url);
    await until(() => stash.sockets.subscribed.includes('loggingSubscribe'));
    await save(await film(page, editor, broker));
  } finally {
    await browser.close();
    await nodeRed.stop();
    await broker.stop();
    await stash.stop();
  }
}

/** Returns nodes of two examples in one flow, with so few that their texts can be read on a phone. */
function flow(stash: FakeStash, broker: Broker): object[] {
  const nodes = [...exampleNodes('Lights while'), ...exampleNodes('Pause jobs while')];
  const find = (what: string) => nodes.find(({ type, name }) => type === what || name === what);
  const place = (what: string, x: number, y: number, next: string[] = [], change: object = {}) => {
    const wires = [next.map((one) => find(one)?.id)];
    return { ...find(what), server: SERVER, z: 'flow', g: undefined, x, y, wires, ...change };
  };
  // Instead of a switch node and two change nodes.
  const to = `${String(find('switch')?.['property'])} > 0 ? "ON" : "OFF"`;
  const toState = { name: 'ON or OFF', rules: [{ t: 'set', p: 'payload', pt: 'msg', to, tot: 'jsonata' }] };
  return [
    { id: 'flow', type: 'tab', label: 'Film' },
    { id: SERVER, type: 'stash-server', name: 'nas', url: stash.url, auth: 'none', pause: '0' },
    { ...find('mqtt-broker'), ...broker.address },
    place('stash-playback', 100, 360, ['change', 'stash-pause']),
    place('change', 290, 360, ['mqtt out'], toState),
    place('mqtt out', 450, 360, [], { name: 'lights' }),
    place('stash-pause', 290, 425),
    place('generate now', 110, 490, ['stash-generate']),
    place('stash-generate', 300, 490),
  ];
}

/** Opens the page of a scene, with a film, a room around it, and the plugin's script. */
async function openStash(page: Page, stash: FakeStash): Promise<void> {
  const { id } = stash.library.add(
    { path: `/media/videos/${TITLE}.mp4`, title: TITLE },
    stash.clock.second(),
  );
  const room = readFileSync(path.join(root, 'test', 'browser', 'film.html'), 'utf8');
  stash.answerWith(html(200, room), { path: '/scenes/' });
  installPlugin(stash);
  await page.goto(`${stash.url}/scenes/${id}`);
  await page.addScriptTag({ path: path.join(root, 'plugin', 'node-red-page.js') });
  await page.evaluate(`record('/scene/${id}/screenshot', '${TITLE}', ${FILM})`);
}

/** Opens the editor below the room, so that its nodes are in view. */
async function openEditor(page: Page, url: string): Promise<FrameLocator> {
  await page.evaluate(`document.querySelector('iframe').src = '${url}'`);
  const editor = page.frameLocator('iframe');
  await editor.locator('.red-ui-flow-node-status-label', { hasText: 'connected' }).nth(3).waitFor();
  await editor.locator('#red-ui-loading-progress').waitFor({ state: 'hidden' });
  // The button of an inject node is left of all others, and the first node above.
  const { x } = await boxOf(editor.locator('.red-ui-flow-node-button'));
  const { y } = await boxOf(editor.locator('.red-ui-flow-node', { hasText: 'playback' }));
  const corner = { left: `${8 - x}px`, top: `${ROOM + 16 - y}px` };
  await page.evaluate(`Object.assign(document.querySelector('iframe').style, ${JSON.stringify(corner)})`);
  return editor;
}

/** Films how somebody starts a job and a film. The lamp obeys the broker. */
async function film(page: Page, editor: FrameLocator, broker: Broker): Promise<Frame[]> {
  const frames: Frame[] = [];
  let isOver = false;
  const shoot = async () => {
    while (!isOver) {
      const at = performance.now();
      await page.evaluate(`document.body.dataset.watching = '${broker.payloads(TOPIC).at(-1) ?? ''}'`);
      const [png] = await Promise.all([
        page.screenshot({ omitBackground: true }),
        page.waitForTimeout(EVERY),
      ]);
      frames.push({ at, png });
    }
  };
  const play = async () => {
    await page.waitForTimeout(700);
    await click(page, editor.locator('.red-ui-flow-node-button-button'));
    await page.waitForTimeout(700);
    await click(page, page.locator('button'));
    await page.evaluate('point(322, 150)');
    for (const status of ['1 waiting', 'done in'])
      await editor.locator('.red-ui-flow-node-status-label', { hasText: status }).waitFor();
    await page.waitForTimeout(2000);
    isOver = true;
  };
  await Promise.all([shoot(), play()]);
  return frames;
}

/** Clicks once the pointer of the film is there. */
async function click(page: Page, what: Locator): Promise<void> {
  const box = await boxOf(what);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.evaluate(`point(${x}, ${y})`);
  await page.waitForTimeout(700);
  await page.mouse.click(x, y);
}

/** Returns where something is in the page, also if it is in the frame of the editor. */
async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (!box) throw new Error(`${String(locator)} is not there`);
  return box;
}

async function save(frames: readonly Frame[]): Promise<void> {
  const sharp = createRequire(path.join(installed, 'sharp', 'package.json'))('sharp') as Sharp;
  const delay = frames.map(({ at }, index) => Math.round((frames[index + 1]?.at ?? at + EVERY) - at));
  await sharp(
    frames.map(({ png }) => png),
    { join: { animated: true } },
  )
    .webp({ delay, quality: 90, smartSubsample: true, minSize: true })
    .toFile(path.join(root, 'docs', 'pictures', 'film.webp'));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
