import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { Broker } from '../support/broker';
import { NodeRed } from '../support/node-red';
import { root } from '../support/root';
import { bringToLife } from '../fake-stash/demo';
import { FakeStash } from '../fake-stash/fake-stash';
import { FOLDER } from '../fake-stash/library';
import { scan } from '../fake-stash/tasks';
import { launchChromium } from './chromium';
import { Editor } from './editor';
import { eventually } from './eventually';
import { faultsOf, type Saved } from './glance';

/** The part of `npm start` that prepares the user directory. */
interface Start {
  prepareUserDir: (userDir: string) => string | undefined;
}

/** Describes what a newcomer sees after `npm start`. */
export function describeStart(this: Mocha.Suite): void {
  const toEnd: (() => unknown)[] = [];
  let browser: Browser;
  let stash: FakeStash;
  let nodeRed: NodeRed;
  let tab: string | undefined;
  let flows: Saved[];

  before(async () => {
    browser = await launchChromium();
    toEnd.push(() => browser.close());
    stash = await FakeStash.start({ release: 'v0.30.1', jobSeconds: 3 });
    const life = new AbortController();
    toEnd.push(() => {
      life.abort();
      return stash.stop();
    });
    bringToLife(stash, life.signal);
    const userDir = mkdtempSync(path.join(tmpdir(), 'node-red-stash-start-'));
    toEnd.push(() => {
      rmSync(userDir, { recursive: true, force: true });
    });
    const start = pathToFileURL(path.join(root, 'scripts', 'user-dir.mjs')).href;
    tab = ((await import(start)) as Start).prepareUserDir(userDir);
    flows = JSON.parse(readFileSync(path.join(userDir, 'flows.json'), 'utf8')) as Saved[];
    const broker = await Broker.start();
    toEnd.push(() => broker.stop());
    const environment = { STASH_URL: stash.url, MQTT_PORT: broker.address.port };
    nodeRed = await NodeRed.start(userDir, { environment });
    toEnd.push(() => nodeRed.stop());
  });
  after(async () => {
    for (const end of toEnd.splice(0).reverse()) await end();
  });

  it('npm start: each button of the tour ends with a sentence in the debug sidebar', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const { page } = await Editor.open(context, `${nodeRed.url}/#flow/${tab ?? ''}`);
    const list = page.locator('.red-ui-debug-content-list');
    for (const [button, sentence] of [
      ['ask', 'Stash reports status OK and no jobs'],
      ['scan', 'Scan on Stash finished (1 new scene, no problems'],
      ['clean', '“clean” on Stash failed. Stash finds too few files'],
      ['backup', /Database of Stash backed up to .*, verified\)/],
      ['Hana Mori', 'Hana Mori added to Stash.'],
    ] as const) {
      const node = page.locator('.red-ui-flow-node-group', { hasText: new RegExp(`^${button}$`) });
      await node.locator('.red-ui-flow-node-button-button').click();
      const message = list.locator('.red-ui-debug-msg-payload').filter({ hasText: sentence });
      await message.waitFor();
      const [box, inner] = [await list.boundingBox(), await message.boundingBox()];
      assert.ok(box && inner && inner.y >= box.y && inner.y + inner.height <= box.y + box.height, button);
    }
    // The disk is back, and nothing was removed.
    assert.equal(stash.library.filesBelow([FOLDER]).length, stash.library.all('scene').length);
    await context.close();
  });

  it('npm start: a page shows what is new', async () => {
    const page = async (path: string) => await (await fetch(nodeRed.url + path)).text();
    const before = stash.library.all('scene').length;
    stash.jobs.add(scan(stash, [FOLDER]));
    await eventually(
      () => page('/newest'),
      (html) => {
        assert.equal(stash.library.all('scene').length, before + 1);
        assert.ok(html.includes(`>${stash.library.all('scene').at(-1)?.title ?? ''}<`), html);
        assert.ok(!html.includes('src=""'), 'a scene without a cover shows no broken picture');
      },
    );
  });

  it('npm start: every example shows at a glance what it does and what to edit', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const editor = await Editor.open(context, nodeRed.url);
    await editor.ready();
    const faults: Record<string, string[]> = {};
    for (const { id, label = '' } of flows.filter(({ type }) => type === 'tab')) {
      await editor.show(id);
      const nodes = flows.filter(({ z }) => z === id);
      const found = await faultsOf(editor, id, nodes);
      if (found.length > 0) faults[label] = found;
    }
    assert.deepEqual(faults, {});
    await context.close();
  });
}
