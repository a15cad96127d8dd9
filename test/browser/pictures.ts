// `npm run pictures` takes the pictures of the README and the documentation from a real editor with the fake server. Only home-assistant.png is
// taken by hand, from a Home Assistant with the example "Stash in Home Assistant".
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium';
import { Editor } from './editor';
import { startElsewhere } from './sidebar';
import { type ExampleNode, exampleNodes } from '../support/examples';
import { NodeRed } from '../support/node-red';
import { userDirWithPackage } from '../support/user-dir';
import { root } from '../support/root';
import { database } from '../fake-stash/database';
import { PERFORMERS } from '../fake-stash/performers';
import { FakeStash } from '../fake-stash/fake-stash';

const folder = path.join(root, 'docs', 'pictures');
const SERVER = 'server-of-the-pictures';
/** The same server without a pause, for flows that no picture shows at work. */
const HASTY = 'server-without-pause';
const FLOW = 'flow';
/** In pixels: room for the groups around the nodes, and above and left of them no more than there is. */
const [BEFORE, AFTER] = [20, 40];
const SCAN = exampleNodes('watched folder').find(({ type }) => type === 'stash-scan')?.id ?? '';
const NIGHT = 'night';
const ARRIVALS = 'arrivals';
/** The usual port of Stash, because a picture shows the address. */
const PORT = 9999;
/** Two performers share one of these names. */
const NAMES = ['Robin Vale', 'Zoë Lindström', 'Amara Osei', 'Hana Mori', 'Somebody Else'];
/** The width in pixels of the shadow left of the tray. */
const TRAY_SHADOW = 20;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const stash = await FakeStash.start({ port: PORT, jobSeconds: 8, backupSeconds: 2, release: 'v0.30.1' });
  stash.backups.content = database({ bytes: 400 * 1024 ** 2 });
  const userDir = await userDirWithPackage();
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
      deviceScaleFactor: 2,
    });
    const editor = await Editor.open(context, nodeRed.url);
    await editor.ready();
    const { page } = editor;
    await palette(page);
    await notification(page);
    await night(page);
    await sidebar(page, stash);
    await arrivals(page, downloads);
    await dialog(page, 'scrape', 'dialog.png', '#node-input-listMaxAge');
    await dialog(page, 'backup', 'backup.png', '#node-input-quickCheck');
    await section(page, SCAN, 'when-files-arrive.png');
    await testButton(page);
    await choice(browser, nodeRed, stash);
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
    z: tab,
    ...('server' in node && { server }),
    ...('folder' in node && { folder: backups }),
    ...(node.type === 'watch' && { files: downloads }),
  });
  return [
    { id: FLOW, type: 'tab', label: 'Every night', disabled: false, info: '' },
    { id: NIGHT, type: 'tab', label: 'Every night', disabled: false, info: '' },
    { id: ARRIVALS, type: 'tab', label: 'New files', disabled: false, info: '' },
    { id: 'names', type: 'tab', label: 'Performers', disabled: false, info: '' },
    { id: SERVER, type: 'stash-server', name: 'nas', url, auth: 'none' },
    {
      ...{ id: HASTY, type: 'stash-server', name: 'nas', url, auth: 'none', pause: '0' },
      pathMap: [{ here: downloads, there: '/media/videos' }],
    },
    ...exampleNodes('Back up every night').map(placed(FLOW, SERVER)),
    ...exampleNodes('Scan and generate every night').map(placed(NIGHT, SERVER)),
    ...exampleNodes('watched folder').map(placed(ARRIVALS, HASTY)),
    ...exampleNodes('Look up performers from a file').map(placed('names', HASTY)),
    {
      id: 'scrape',
      type: 'stash-performer-scrape',
      server: SERVER,
      z: FLOW,
      x: 220,
      y: 600,
      wires: [[], []],
    },
    {
      id: 'backup',
      type: 'stash-backup',
      server: SERVER,
      download: true,
      folder: '/backups/stash',
      keepDaily: '7',
      keepWeekly: '4',
      keepMonthly: '6',
      outputs: 2,
      z: FLOW,
      x: 220,
      y: 520,
      wires: [[], []],
    },
  ];
}

async function palette(page: Page): Promise<void> {
  await page.locator('#red-ui-palette-search input').pressSequentially('stash');
  const category = page.locator('#red-ui-palette-container-stash');
  const usual = page.viewportSize();
  // All nodes have to fit.
  await page.setViewportSize({ width: 1600, height: 1300 });
  await page.locator('.red-ui-palette-node[data-palette-type=http\\ request]').waitFor({ state: 'hidden' });
  await category.screenshot({ path: path.join(folder, 'palette.png') });
  if (usual) await page.setViewportSize(usual);
}

/** Takes the flow after two presses of its button, and the debug sidebar with the text of the notification. */
async function notification(page: Page): Promise<void> {
  for (const count of [0, 1]) {
    await page.locator('.red-ui-flow-node-button-button').first().click();
    await page.locator('.red-ui-debug-msg-payload').nth(count).waitFor({ timeout: 60_000 });
  }
  await page.locator('.red-ui-flow-node-status-label', { hasText: 'backup saved' }).waitFor();
  await page.locator('.red-ui-notification').first().waitFor({ state: 'detached' });
  const nodes = await boxesOf(page);
  await page.screenshot({ path: path.join(folder, 'flow.png'), clip: around(nodes.slice(0, 6)) });
  const message = page.locator('.red-ui-debug-msg').last();
  // The sidebar cuts off long texts until they are opened.
  await message.locator('.red-ui-debug-msg-object-handle').click();
  await page.mouse.move(0, 0);
  // The sidebar may break a word anywhere; a phone does so only where it must.
  await page.addStyleTag({
    content: '.red-ui-debug-msg * { word-break: normal !important; overflow-wrap: anywhere; }',
  });
  await message.screenshot({ path: path.join(folder, 'notification.png') });
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

/** Takes the flow whose nodes wait for their jobs, while the second one waits. */
async function night(page: Page): Promise<void> {
  await page.evaluate(`RED.workspaces.show('${NIGHT}')`);
  await page.locator('.red-ui-flow-node-button-button').first().click();
  const status = page.locator('.red-ui-flow-node-status-label');
  await status.filter({ hasText: 'done in' }).waitFor({ timeout: 20_000 });
  await status
    .filter({ hasText: /^[4-7]\d %/ })
    .first()
    .waitFor();
  await page.screenshot({ path: path.join(folder, 'night.png'), clip: around(await boxesOf(page)) });
  await page.evaluate(`RED.workspaces.show('${FLOW}')`);
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
  await content
    .locator('.stash-job-state', { hasText: /^[4-7]\d %/ })
    .first()
    .waitFor();
  // A section of the sidebar is not as high.
  const style = await page.addStyleTag({
    content: `.stash-activity { position: fixed; z-index: 99; top: 0; right: 0; width: 350px; padding: 0 !important; background: white; }
      .stash-server { padding: 12px; }`,
  });
  await content
    .locator('.stash-server')
    .first()
    .screenshot({ path: path.join(folder, 'sidebar.png') });
  await style.evaluate((element) => {
    (element as HTMLElement).remove();
  });
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
  await page.screenshot({ path: path.join(folder, 'watched-folder.png'), clip });
  await page.evaluate(`RED.workspaces.show('${FLOW}')`);
}

/** Takes the dialog of a node, down to an element. */
async function dialog(page: Page, node: string, file: string, last: string): Promise<void> {
  await page.evaluate(`RED.editor.edit(RED.nodes.node('${node}'))`);
  await page.locator(last).waitFor();
  await tray(page, file, last);
  await close(page);
}

/** Takes the section of a dialog that can be closed. */
async function section(page: Page, node: string, file: string): Promise<void> {
  await page.evaluate(`RED.editor.edit(RED.nodes.node('${node}'))`);
  await page
    .locator('.stash-section')
    .first()
    .screenshot({ path: path.join(folder, file) });
  await close(page);
}

async function close(page: Page): Promise<void> {
  await page.locator('#node-dialog-cancel').click();
  await page.locator('#dialog-form').waitFor({ state: 'detached' });
}

async function testButton(page: Page): Promise<void> {
  await page.evaluate(`RED.editor.editConfig('', 'stash-server', '${SERVER}')`);
  await page.locator('#stash-test').click();
  await page.locator('#stash-test-answer .stash-good').waitFor();
  await tray(page, 'test-button.png', '.stash-check >> nth=-1');
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
  const context = await browser.newContext({ viewport: { width: 390, height: 700 }, deviceScaleFactor: 2 });
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
  await page.screenshot({ path: path.join(folder, 'choose.png'), fullPage: true });
}

/** Takes the open tray, from its top to a little below an element. */
async function tray(page: Page, file: string, last: string): Promise<void> {
  // The tray slides in.
  await page.waitForTimeout(500);
  const box = await page.locator('.red-ui-tray').last().boundingBox();
  const end = await page.locator(last).boundingBox();
  if (!box || !end) throw new Error('no tray is open');
  const x = box.x + TRAY_SHADOW;
  const clip = { x, y: box.y, width: box.x + box.width - x, height: end.y + end.height + 20 - box.y };
  await page.screenshot({ path: path.join(folder, file), clip });
}

function around(boxes: Box[]): Box {
  const left = Math.min(...boxes.map(({ x }) => x)) - BEFORE;
  const top = Math.min(...boxes.map(({ y }) => y)) - BEFORE;
  const right = Math.max(...boxes.map(({ x, width }) => x + width)) + AFTER;
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + AFTER;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
