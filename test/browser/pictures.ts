// `npm run pictures` takes the pictures of the README and the documentation from a real editor with the fake server.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium';
import { Editor } from './editor';
import { startElsewhere } from './sidebar';
import { type ExampleNode, exampleNodes } from '../support/examples';
import { NodeRed } from '../support/node-red';
import { actions } from '../support/nodes';
import { tell } from '../support/playback';
import { addDashboard, userDirWithPackage } from '../support/user-dir';
import { root } from '../support/root';
import { PERFORMERS } from '../fake-stash/performers';
import { FakeStash } from '../fake-stash/fake-stash';
import { otherTask } from '../fake-stash/tasks';

const folder = path.join(root, 'docs', 'pictures');
const SERVER = 'server-of-the-pictures';
/** The same server without a pause, for flows that no picture shows at work. */
const HASTY = 'server-without-pause';
const FLOW = 'flow';
/** In pixels: room for the groups around the nodes, and left of them not as much as to the edge of the workspace. */
const [ABOVE, LEFT, AFTER] = [12, 10, 40];
const SCAN = exampleNodes('watched folder').find(({ type }) => type === 'stash-scan')?.id ?? '';
const NIGHT = 'night';
const ARRIVALS = 'arrivals';
const PAUSE = 'pause';
/** The usual port of Stash, because a picture shows the address. */
const PORT = 9999;
/** Two performers share one of these names. */
const NAMES = ['Robin Vale', 'Zoë Lindström', 'Amara Osei', 'Hana Mori', 'Somebody Else'];
/** The width in pixels of the shadow left of the tray. */
const TRAY_SHADOW = 20;
/** Pictures have two pixels for each of the page, for sharp screens. */
const SCALE = 2;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const stash = await FakeStash.start({ port: PORT, jobSeconds: 8, backupSeconds: 2, release: 'v0.30.1' });
  const userDir = await userDirWithPackage();
  addDashboard(userDir);
  const backups = path.join(userDir, 'backups');
  mkdirSync(backups);
  const downloads = path.join(userDir, 'downloads');
  mkdirSync(downloads);
  writeFileSync(path.join(userDir, 'performers.txt'), NAMES.join('\n'));
  writeFileSync(path.join(userDir, 'flows.json'), JSON.stringify(flows(stash.url, { backups, downloads })));
  const nodeRed = await NodeRed.start(userDir, {});
  const browser = await launchChromium();
  try {
    const context = await browser.newContext({
      viewport: { width: 1600, height: 1000 },
      deviceScaleFactor: SCALE,
    });
    const editor = await Editor.open(context, nodeRed.url);
    await editor.ready();
    const { page } = editor;
    await icons(editor, browser);
    await firstFlow(page, stash);
    await phone(browser, nodeRed, stash);
    playNewest(stash);
    await sidebar(page, stash);
    await arrivals(page, downloads);
    await section(page, SCAN, 'when-files-arrive.png');
    await guide(browser, nodeRed, stash);
    await choice(browser, nodeRed, stash);
    await dashboard(browser, nodeRed, stash);
  } finally {
    await browser.close();
    await nodeRed.stop();
    await stash.stop();
  }
}

/** Returns the examples of the pictures, with a server and folders already chosen. */
function flows(url: string, { backups, downloads }: { backups: string; downloads: string }): object[] {
  const placed = (tab: string, server: string) => (node: ExampleNode) => ({
    ...node,
    // A config node belongs to no tab.
    ...('z' in node && { z: tab }),
    ...('server' in node && { server }),
    ...('folder' in node && { folder: backups }),
    ...(node.type === 'watch' && { files: downloads }),
  });
  return [
    { id: FLOW, type: 'tab', label: 'Every night', disabled: false, info: '' },
    { id: NIGHT, type: 'tab', label: 'Every night', disabled: false, info: '' },
    { id: ARRIVALS, type: 'tab', label: 'New files', disabled: false, info: '' },
    { id: 'names', type: 'tab', label: 'Performers', disabled: false, info: '' },
    { id: 'page', type: 'tab', label: 'Page', disabled: false, info: '' },
    { id: SERVER, type: 'stash-server', name: 'nas', url, auth: 'none' },
    {
      ...{ id: HASTY, type: 'stash-server', name: 'nas', url, auth: 'none', pause: '0' },
      pathMap: [{ here: downloads, there: '/media/videos' }],
    },
    ...exampleNodes('Scan the library').map(placed(FLOW, SERVER)),
    ...exampleNodes('Scan and generate every night').map(placed(NIGHT, SERVER)),
    ...exampleNodes('watched folder').map(placed(ARRIVALS, HASTY)),
    ...exampleNodes('Look up performers from a file').map(placed('names', HASTY)),
    ...exampleNodes('library on a page').map(placed('page', SERVER)),
    {
      ...{ id: PAUSE, type: 'stash-pause', z: NIGHT, server: SERVER, x: 160, y: 640, wires: [] },
      ...{ paused: 'true', pausedType: 'bool', interrupt: false, atMost: '0' },
    },
    // The message about the newest scene, for the picture of a phone.
    {
      ...{ id: 'newest', type: 'stash-new', server: SERVER, picture: 'dataUrl', z: NIGHT, x: 160, y: 700 },
      wires: [['keep']],
    },
    {
      ...{ id: 'keep', type: 'change', z: NIGHT, x: 360, y: 700, wires: [] },
      rules: [
        {
          ...{ t: 'set', p: 'newest', pt: 'flow', tot: 'jsonata' },
          to: '{"picture": payload.picture, "sentence": stash.summary}',
        },
      ],
    },
    {
      id: 'get',
      type: 'http in',
      z: NIGHT,
      url: '/newest',
      method: 'get',
      x: 160,
      y: 760,
      wires: [['take']],
    },
    {
      ...{ id: 'take', type: 'change', z: NIGHT, x: 360, y: 760, wires: [['answer']] },
      rules: [{ t: 'set', p: 'payload', pt: 'msg', to: 'newest', tot: 'flow' }],
    },
    { id: 'answer', type: 'http response', z: NIGHT, x: 560, y: 760, wires: [] },
  ];
}

/** Draws the icon of each node on its colour. */
async function icons({ page }: Editor, browser: Browser): Promise<void> {
  mkdirSync(path.join(folder, 'nodes'), { recursive: true });
  const context = await browser.newContext({ deviceScaleFactor: SCALE });
  const drawing = await context.newPage();
  for (const name of actions) {
    const color = String(await page.evaluate(`RED.nodes.getType('stash-${name}').color`));
    const icon = readFileSync(path.join(root, 'nodes', name, 'icon.svg')).toString('base64');
    await drawing.setContent(`<style>body { margin: 0; } div { width: 30px; height: 30px; border-radius: 6px; background: ${color}; }
      img { display: block; height: 30px; margin: auto; }</style><div><img src="data:image/svg+xml;base64,${icon}"></div>`);
    await drawing
      .locator('div')
      .screenshot({ path: path.join(folder, 'nodes', `${name}.png`), omitBackground: true });
  }
  await context.close();
}

/** Takes the first flow of the README, after it has found two new scenes. */
async function firstFlow(page: Page, stash: FakeStash): Promise<void> {
  for (const name of ['Night Market', 'Harbour Lights'])
    stash.arrive({ path: `/media/videos/${name}.mp4`, title: name });
  await page.locator('.red-ui-flow-node-button-button').first().click();
  await page.locator('.red-ui-flow-node-status-label', { hasText: 'done in' }).waitFor({ timeout: 60_000 });
  await page.mouse.move(0, 0);
  await frame(page, 'flow.png', await page.screenshot({ clip: around(await boxesOf(page)) }));
}

/** Draws a phone with the notification of a new scene: sentence and picture are those of a real message. */
async function phone(browser: Browser, nodeRed: NodeRed, stash: FakeStash): Promise<void> {
  stash.library.add(
    { path: '/media/videos/Paper Lanterns.mp4', title: 'Paper Lanterns', details: { seconds: 1440 } },
    stash.clock.second(),
  );
  stash.jobs.add(otherTask('Scanning...', 'a step'));
  let message: { picture?: string; sentence?: string } = {};
  while (!message.sentence?.includes('Paper Lanterns')) {
    const response = await fetch(`${nodeRed.url}/newest`);
    message = (await response.json().catch(() => ({}))) as typeof message;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const context = await browser.newContext({
    viewport: { width: 360, height: 420 },
    deviceScaleFactor: SCALE,
  });
  const page = await context.newPage();
  const icon = readFileSync(path.join(folder, 'nodes', 'new.png')).toString('base64');
  await page.setContent(`<!doctype html><style>
    body { margin: 0; font: 15px/20px system-ui, 'Open Sans', sans-serif; }
    /* The light line is its edge on a dark page. */
    #edge { width: 360px; padding: 2px 2px 0; border-radius: 46px 46px 0 0; background: #8b949e; }
    #phone { box-sizing: border-box; width: 360px; padding: 14px 12px 18px; border: 10px solid #15181d; border-bottom: 0;
      border-radius: 44px 44px 0 0; background: linear-gradient(#2b4a6d, #6f5a7e); color: white; }
    #time { padding: 18px 0 22px; text-align: center; font-size: 56px; font-weight: 300; line-height: 60px; }
    #card { overflow: hidden; border-radius: 18px; background: #f4f5f7; color: #1d2126; }
    #text { display: grid; grid-template-columns: 34px 1fr auto; gap: 0 10px; padding: 12px 14px; }
    #text > img { grid-row: span 2; width: 34px; height: 34px; border-radius: 8px; object-fit: cover; }
    b { font-weight: 600; } small { color: #6b7280; } p { grid-column: 2 / -1; margin: 0; font-size: 14px; }
    #card > img { display: block; width: 100%; }
  </style><div id="edge"><div id="phone"><div id="time">21:47</div><div id="card"><div id="text">
    <img src="data:image/png;base64,${icon}"><b>Stash</b><small>now</small><p></p></div><img id="picture"></div></div></div>`);
  await page.locator('p').evaluate((element, text) => {
    element.textContent = text;
  }, message.sentence);
  await page.locator('#picture').evaluate((element, address) => {
    (element as HTMLImageElement).src = address;
  }, String(message.picture));
  await page.waitForTimeout(300);
  await page.locator('#edge').screenshot({ path: path.join(folder, 'phone.png'), omitBackground: true });
  await context.close();
}

/** Plays the newest scene in a page of Stash, as the plugin there reports it. */
function playNewest(stash: FakeStash): void {
  const scene = stash.library.all('scene').at(-1)?.id ?? '';
  let position = 460;
  const report = () => {
    tell(stash, 'playing', { scene, position: (position += 10) });
  };
  report();
  setInterval(report, 10_000).unref();
}

/** Takes the first cards of the example with Dashboard and the newest scenes, while somebody watches and jobs are paused. */
async function dashboard(browser: Browser, nodeRed: NodeRed, stash: FakeStash): Promise<void> {
  const scenes = stash.library.all('scene');
  for (const [index, scene] of scenes.entries()) {
    // The scans have made no covers.
    stash.library.pictures.delete(`scene ${scene.id}`);
    if (index % 5 > 0) stash.library.studioOf.set(scene, '1');
    stash.library.changes.set(scene, {
      ...stash.library.changes.get(scene),
      rating: index % 2 > 0 ? 80 : null,
      organized: index % 3 > 0,
      ...(index % 4 > 0 && { tags: ['1'], performers: ['1'] }),
    });
  }
  const injects = exampleNodes('library on a page').filter(({ type }) => type === 'inject');
  for (const id of [...injects.map((node) => node.id), PAUSE]) {
    await fetch(`${nodeRed.url}/inject/${id}`, { method: 'POST' });
  }
  // Narrow, so that its texts are readable at the width that the README has for it.
  const context = await browser.newContext({
    viewport: { width: 600, height: 1600 },
    deviceScaleFactor: SCALE,
  });
  const page = await context.newPage();
  await page.goto(`${nodeRed.url}/stash-dashboard`);
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.getByRole('progressbar', { name: 'Position' }).waitFor();
  await page.getByText('no jobs').waitFor();
  await page.addStyleTag({ content: '.stash-scenes > :nth-child(n + 4) { display: none !important; }' });
  for (const card of ['Do', 'The library']) {
    const heading = page.getByText(card, { exact: true });
    await page.locator('.nrdb-ui-group').filter({ has: heading }).evaluate(remove);
  }
  // The bars move.
  await page.waitForTimeout(500);
  const last = await page.locator('.nrdb-ui-group').last().boundingBox();
  if (!last) throw new Error('the page has no cards');
  const clip = { x: 0, y: 0, width: 600, height: last.y + last.height + 12 };
  await frame(page, 'dashboard.png', await page.screenshot({ clip }));
  await context.close();
}

/** Takes the last step of the guide to the first server. */
async function guide(browser: Browser, nodeRed: NodeRed, stash: FakeStash): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 720 },
    deviceScaleFactor: SCALE,
  });
  const editor = await Editor.open(context, nodeRed.url);
  await editor.ready();
  const { page } = editor;
  for (const id of [SERVER, HASTY]) await page.evaluate(`RED.nodes.remove('${id}')`);
  await editor.drag('stash-scan', 200, 300);
  await page.locator('#node-config-input-url').fill(stash.url);
  for (const step of [2, 3]) {
    await page.locator('.stash-step-next').click();
    await page.locator(`.stash-steps > li:nth-child(${step})[aria-current="step"]`).waitFor();
  }
  await page.locator('#node-config-input-name').fill('nas');
  await page.locator('#stash-test-answer .stash-good').waitFor();
  await tray(page, 'guide.png', '.stash-step-next');
  await context.close();
}

/** Returns the positions of the nodes in the flow. */
async function boxesOf(page: Page): Promise<Box[]> {
  return await page.locator('.red-ui-flow-node-group').evaluateAll((found) =>
    found.map((node) => {
      const { x, y, width, height } = node.getBoundingClientRect();
      return { x, y, width, height };
    }),
  );
}

/** Takes the tab in the sidebar, with a job of a node and one that waits. */
async function sidebar(page: Page, stash: FakeStash): Promise<void> {
  await page.evaluate("RED.actions.invoke('stash:show-stash-tab')");
  const content = page.locator('.stash-activity');
  const idle = content.getByText('No job runs or waits').first();
  await idle.waitFor({ timeout: 60_000 });
  await page.evaluate(`RED.workspaces.show('${NIGHT}')`);
  await page.locator('.red-ui-flow-node-button-button').first().click();
  await startElsewhere(stash);
  await content.locator('.stash-watched img').first().waitFor({ timeout: 60_000 });
  await content.locator('.stash-job-state', { hasText: 'waits' }).first().waitFor();
  await content
    .locator('.stash-job-state', { hasText: /^[4-7]\d %/ })
    .first()
    .waitFor();
  // A section of the sidebar is not as high.
  const style = await page.addStyleTag({
    content: `.stash-activity { position: fixed; z-index: 99; top: 0; right: 0; width: 350px; padding: 0 !important; background: white; }
      .stash-server { padding: 12px; }`,
  });
  await frame(page, 'sidebar.png', await content.locator('.stash-server').first().screenshot());
  await style.evaluate(remove);
  await idle.waitFor({ timeout: 60_000 });
  await page.evaluate("RED.actions.invoke('core:show-debug-tab')");
  await page.evaluate(`RED.workspaces.show('${FLOW}')`);
}

/** Takes the flow of a watched folder, while two files grow. */
async function arrivals(page: Page, downloads: string): Promise<void> {
  await page.evaluate(`RED.workspaces.show('${ARRIVALS}')`);
  const waiting = page.locator('.red-ui-flow-node-status-label', { hasText: 'waiting for 2 files' });
  while (!(await waiting.isVisible())) {
    for (const name of ['a.mp4.part', 'b.mp4.part']) appendFileSync(path.join(downloads, name), 'more');
    await page.waitForTimeout(3000);
  }
  const clip = around(await boxesOf(page));
  await frame(page, 'watched-folder.png', await page.screenshot({ clip }));
  await page.evaluate(`RED.workspaces.show('${FLOW}')`);
}

/** Takes the section of a dialog that can be closed. */
async function section(page: Page, node: string, file: string): Promise<void> {
  await page.evaluate(`RED.editor.edit(RED.nodes.node('${node}'))`);
  await frame(page, file, await page.locator('.stash-section:has(#node-input-settle)').screenshot(), 12);
  await close(page);
}

async function close(page: Page): Promise<void> {
  await page.locator('#node-dialog-cancel').click();
  await page.locator('#dialog-form').waitFor({ state: 'detached' });
}

/** Takes the page of the example that looks up names from a file, on a phone. */
async function choice(browser: Browser, nodeRed: NodeRed, stash: FakeStash): Promise<void> {
  const namesakes = PERFORMERS.filter(({ name }) => name === 'Amara Osei').map((one) => ({
    ...one,
    url: `${one.url ?? ''}-2`,
  }));
  stash.site.performers = [...PERFORMERS, ...namesakes];
  const inject = exampleNodes('Look up performers from a file').find(({ type }) => type === 'inject');
  await fetch(`${nodeRed.url}/inject/${inject?.id ?? ''}`, { method: 'POST' });
  const context = await browser.newContext({
    viewport: { width: 390, height: 700 },
    deviceScaleFactor: SCALE,
  });
  const page = await context.newPage();
  await page.goto(`${nodeRed.url}/performers`);
  // Until then the page is empty, or reloads itself.
  while (
    !(await page.getByText(`of ${NAMES.length} found`).isVisible()) ||
    (await page.getByText('being looked up').isVisible())
  ) {
    await page.waitForTimeout(200);
    await page.reload();
  }
  await frame(page, 'choose.png', await page.screenshot({ fullPage: true }));
  await context.close();
}

/** Takes the open tray, from its top to a little below an element, with as much room beside its title as below. */
async function tray(page: Page, file: string, last: string): Promise<void> {
  await page.addStyleTag({
    content:
      '[class*="red-ui-tray"] { border-radius: 0 !important; } .red-ui-tray-titlebar { padding-left: 17px !important; }',
  });
  // The tray slides in.
  await page.waitForTimeout(500);
  const box = await page.locator('.red-ui-tray').last().boundingBox();
  const end = await page.locator(last).boundingBox();
  if (!box || !end) throw new Error('no tray is open');
  const x = box.x + TRAY_SHADOW;
  // Without the border at the right, because the frame is one.
  const clip = { x, y: box.y, width: box.x + box.width - x - 1, height: end.y + end.height + 20 - box.y };
  await frame(page, file, await page.screenshot({ clip }));
}

/**
 * Saves a picture with a thin frame, so that it has an edge on a white page and on a dark one.
 * @param margin pixels of white around a picture that ends where its texts do.
 */
async function frame(page: Page, file: string, picture: Buffer, margin = 0): Promise<void> {
  const context = await page.context().browser()?.newContext({ deviceScaleFactor: SCALE });
  if (!context) throw new Error('the browser is closed');
  const drawing = await context.newPage();
  // The header of a PNG has its width in the bytes 16 to 19.
  const width = picture.readUInt32BE(16) / SCALE;
  await drawing.setViewportSize({ width: Math.ceil(width) + 2 + 2 * margin, height: 600 });
  await drawing.setContent(`<style>body { margin: 0; } img { display: block; width: ${width}px; padding: ${margin}px; border: 1px solid #c4cad1; background: white; border-radius: 6px; }</style>
    <img src="data:image/png;base64,${picture.toString('base64')}">`);
  const image = drawing.locator('img');
  await image.evaluate((element) => (element as HTMLImageElement).decode());
  await image.screenshot({ path: path.join(folder, file), omitBackground: true });
  await context.close();
}

function remove(element: Element): void {
  element.remove();
}

function around(boxes: Box[]): Box {
  const left = Math.min(...boxes.map(({ x }) => x)) - LEFT;
  const top = Math.min(...boxes.map(({ y }) => y)) - ABOVE;
  const right = Math.max(...boxes.map(({ x, width }) => x + width)) + AFTER;
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + AFTER;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
