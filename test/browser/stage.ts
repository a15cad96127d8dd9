import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { NodeRed } from '../support/node-red';
import { userDirWithPackage } from '../support/user-dir';
import { root } from '../support/root';
import { runtime } from '../support/runtime';
import { FakeStash } from '../fake-stash/fake-stash';
import { launchChromium } from './chromium';
import { Editor } from './editor';

/** The key of the server, which the editor must never receive. */
export const KEY = 'a-k3y-for-the-browser';

/** The server that the flows already have, by the name that dialogs show. */
export const SERVER = { id: 'server-home', name: 'home' };

export interface StageOptions {
  /** The settings file of Node-RED, if it is not the default one. */
  settings?: string;
  /** The nodes besides the server. */
  flows?: object[];
}

/** Runs a Node-RED with the packed package, a fake Stash server and a browser. */
export class Stage {
  stash!: FakeStash;
  nodeRed!: NodeRed;
  browser!: Browser;
  editor!: Editor;
  readonly #toEnd: (() => unknown)[] = [];

  /** Starts everything; after an error, `end` still ends what was started. */
  async start({ flows = [], ...options }: StageOptions): Promise<void> {
    // The browser comes first, because it may be missing.
    this.browser = await launchChromium();
    this.#toEnd.push(() => this.browser.close());
    this.stash = await FakeStash.start({ apiKey: KEY, release: 'v0.30.1' });
    this.#toEnd.push(() => this.stash.stop());
    const userDir = await userDirWithPackage();
    this.#toEnd.push(() => {
      rmSync(userDir, { recursive: true, force: true });
    });
    // No tip of the editor, which may come before the editor has a place for it.
    writeFileSync(
      path.join(userDir, '.config.users.json'),
      JSON.stringify({ _: { editor: { view: { 'view-show-tips': false } } } }),
    );
    const server = { ...SERVER, type: 'stash-server', url: this.stash.url, auth: 'apiKey', pause: '0' };
    writeFileSync(path.join(userDir, 'flows.json'), JSON.stringify([server, ...flows]));
    // The file contains the key in plain text, because these tests encrypt nothing.
    writeFileSync(path.join(userDir, 'flows_cred.json'), JSON.stringify({ [SERVER.id]: { apiKey: KEY } }));
    this.nodeRed = await NodeRed.start(userDir, options);
    this.#toEnd.push(() => this.nodeRed.stop());
    this.editor = await this.open();
  }

  /** Opens the editor in a new browser context, which shares nothing with the others. */
  async open(): Promise<Editor> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 720 } });
    return await Editor.open(context, this.nodeRed.url);
  }

  async end(): Promise<void> {
    for (const end of this.#toEnd.splice(0).reverse()) await end();
  }

  /** Saves what the browser showed when a test failed, and resets the editor for the next test. */
  async recover(test: Mocha.Test | undefined): Promise<void> {
    if (test?.state !== 'failed') return;
    const folder = path.join(root, 'coverage', 'screenshots');
    mkdirSync(folder, { recursive: true });
    const name = `${runtime} ${test.title}`.replace(/[^\w.]+/g, '-');
    await this.editor.page.screenshot({ path: path.join(folder, `${name}.png`) });
    await this.editor.page.reload();
    await this.editor.ready();
  }
}
