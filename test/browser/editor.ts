import assert from 'node:assert/strict';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { Dialog } from './dialog';
import { eventually } from './eventually';
import { actions } from '../support/nodes';
import { words } from '../support/words';
import { ServerDialog } from './server-dialog';

/** The part of the editor's API that shows what the page alone does not. */
declare const RED: {
  nodes: {
    getType(type: string): object | null;
    eachNode(callback: (node: { id: string }) => void): void;
    dirty(isDirty?: boolean): boolean;
    addLink(link: { source: object | null; sourcePort: number; target: object | null }): void;
    node(id: string): object | null;
  };
  view: { select(selection: { nodes: (object | null)[] }): void; redraw(): void };
  workspaces: { show(id: string): void; active(): string | number };
  actions: { invoke(action: string): void };
  editor: { editConfig(property: string, type: string, id: string): void };
};
declare const $: { (selector: string): { is(selector: string): boolean }; fx: { off: boolean } };

/** The warning of Node-RED about a listener of ours or its own. */
const THROWN = /^RED\.(events|comms)\.emit error/;

/** Uses the editor in a browser by hand, with mouse and keyboard. */
export class Editor {
  readonly page: Page;
  /** The errors in the console. */
  readonly errors: string[] = [];
  readonly #requests: string[] = [];
  /** The revision of the flows that run. */
  #running = '';

  private constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(60_000);
    // Without "light", each look at the page goes through all of its elements in search of shadow roots, of which it has none.
    const locate = page.locator.bind(page);
    page.locator = (selector, options) => locate(`css:light=${selector}`, options);
    page.on('console', (message) => {
      // Node-RED only warns of a listener that throws.
      if (message.type() === 'error' || THROWN.test(message.text())) this.errors.push(message.text());
    });
    page.on('pageerror', (error) => this.errors.push(String(error.stack)));
    page.on('request', (request) => this.#requests.push(request.url()));
    page.on('websocket', (socket) => {
      this.#requests.push(socket.url());
      socket.on('framereceived', ({ payload }) => {
        const [, revision] = /runtime-deploy","data":{"revision":"(\w+)"/.exec(String(payload)) ?? [];
        this.#running = revision ?? this.#running;
      });
    });
    // "Leave site?", if a failed test has left undeployed changes.
    page.on('dialog', (dialog) => void dialog.accept());
  }

  static async open(context: BrowserContext, url: string): Promise<Editor> {
    const editor = new Editor(await context.newPage());
    await editor.page.addInitScript(hurry);
    await editor.page.goto(url);
    return editor;
  }

  /** Resolves when the editor is ready. */
  async ready(): Promise<void> {
    await this.page.waitForFunction(
      () =>
        typeof RED !== 'undefined' &&
        RED.nodes.getType('stash-status') !== null &&
        Boolean(RED.workspaces.active()) &&
        $('#red-ui-loading-progress').is(':hidden'),
    );
    await this.page.evaluate(() => {
      RED.actions.invoke('core:show-debug-tab');
    });
  }

  /** Returns the hosts that the page has sent requests to. */
  hosts(): string[] {
    const remote = this.#requests.filter((url) => /^(https?|wss?):/.test(url));
    return [...new Set(remote.map((url) => new URL(url).hostname))];
  }

  /** Signs in to an editor that has users. */
  async signIn(user: string, password: string): Promise<void> {
    await this.page.locator('#node-dialog-login-username').fill(user);
    await this.page.locator('#node-dialog-login-password').fill(password);
    await this.page.locator('#node-dialog-login-submit').click();
  }

  /** Shows a tab of the flows. */
  async show(tab: string): Promise<void> {
    await this.page.evaluate((id) => {
      RED.workspaces.show(id);
    }, tab);
  }

  node(id: string): FlowNode {
    return new FlowNode(this.page, id);
  }

  /** Drags a new node from the palette to a place in the flow. */
  async drag(type: string, x: number, y: number): Promise<FlowNode> {
    const known = await this.#nodeIds();
    const search = this.page.locator('#red-ui-palette-search input').first();
    if ((await search.inputValue()) !== 'stash') await search.pressSequentially('stash');
    // The search starts after a pause in the typing.
    const visible = this.page.locator('.red-ui-palette-node:visible');
    await eventually(
      () => visible.count(),
      (count) => {
        assert.equal(count, actions.length);
      },
    );
    const chart = await boxOf(this.page.locator('#red-ui-workspace-chart'));
    await this.page.locator(`.red-ui-palette-node[data-palette-type="${type}"]`).hover();
    await this.page.mouse.down();
    await this.page.mouse.move(chart.x + x, chart.y + y, { steps: 5 });
    await this.page.mouse.up();
    const [id] = (await this.#nodeIds()).filter((one) => !known.includes(one));
    assert.ok(id, 'the flow has a new node');
    return this.node(id);
  }

  /** Deletes a node, because a deploy warns about incomplete ones. */
  async remove(node: FlowNode): Promise<void> {
    // Not by mouse, because a second click may open the dialog.
    await this.page.evaluate((id) => {
      RED.view.select({ nodes: [RED.nodes.node(id)] });
      RED.actions.invoke('core:delete-selection');
    }, node.id);
    await node.locator.waitFor({ state: 'detached' });
  }

  async #nodeIds(): Promise<string[]> {
    return await this.page.evaluate(() => {
      const ids: string[] = [];
      RED.nodes.eachNode(({ id }) => ids.push(id));
      return ids;
    });
  }

  /** Adds a wire from an output of one node to the input of another. */
  async wire(from: FlowNode, to: FlowNode, output = 0): Promise<void> {
    // Not by mouse: that is Node-RED's own, and takes longer than all that is ours.
    await this.page.evaluate(
      ([source, target, sourcePort]) => {
        const [one, other] = [RED.nodes.node(source), RED.nodes.node(target)];
        RED.nodes.addLink({ source: one, sourcePort, target: other });
        RED.nodes.dirty(true);
        RED.view.redraw();
      },
      [from.id, to.id, output] as const,
    );
  }

  async openDialog(node: FlowNode): Promise<Dialog> {
    // By keyboard, because the editor ignores a double click that is too fast or too slow.
    await node.locator.click();
    await this.page.keyboard.press('Enter');
    return await Dialog.ofNode(this.page);
  }

  /** Opens the dialog of a server directly, not from the dialog of a node. */
  async openServer(id: string): Promise<ServerDialog> {
    await this.page.evaluate((server) => {
      RED.editor.editConfig('', 'stash-server', server);
    }, id);
    return await ServerDialog.opened(this.page);
  }

  /** Opens the dialog of a server from that of a node: a new server, or the chosen one. */
  async openServerOf(button: 'add' | 'edit'): Promise<ServerDialog> {
    await this.page.locator(`#node-input-btn-server-${button}`).click();
    if (button === 'add') {
      await this.page.getByRole('button', { name: words('server', 'firstUse.whole') }).click();
    }
    return await ServerDialog.opened(this.page);
  }

  /** Presses the Deploy button, and waits until the deployed flows run. */
  async deploy(): Promise<void> {
    const deployed = this.page.waitForResponse(
      (response) => response.url().endsWith('/flows') && response.request().method() === 'POST',
    );
    await this.page.locator('#red-ui-header-button-deploy').click();
    const response = await deployed;
    assert.equal(response.status(), 200);
    // Node-RED responds before the nodes run. Until then an inject node has nothing to press: its request is answered with 404.
    const { rev } = (await response.json()) as { rev: string };
    await eventually(
      () => Promise.resolve(this.#running),
      (running) => {
        assert.equal(running, rev);
      },
    );
    await this.page.waitForFunction(() => !RED.nodes.dirty());
    // The editor ignores a second deploy within half a second, as long as the button shows its spinner.
    await this.page.locator('.red-ui-deploy-button-spinner').waitFor({ state: 'hidden' });
  }

  /** Returns the messages of a debug node in the debug sidebar. */
  debugged(node: FlowNode): Locator {
    return this.page.locator(`.red-ui-debug-msg-node-${node.id} .red-ui-debug-msg-payload`);
  }

  /** Returns the flows that the export dialog offers to copy. */
  async exported(): Promise<string> {
    await this.page.evaluate(() => {
      RED.actions.invoke('core:show-export-dialog');
    });
    await this.page.locator('#red-ui-clipboard-dialog-export-rng-full').click();
    const text = this.page.locator('#red-ui-clipboard-dialog-export-text');
    await eventually(
      () => text.inputValue(),
      (value) => {
        assert.match(value, /"stash-server"/);
      },
    );
    const value = await text.inputValue();
    await this.page.locator('#red-ui-clipboard-dialog-cancel').click();
    return value;
  }
}

/**
 * Shortens the editor's waits of up to five seconds to a fifth, so that the tests take less time: reasons, sliding
 * dialogs, searches, notifications. The order of events stays. Nothing moves, because each frame takes time, too.
 */
function hurry(): void {
  const usual = window.setTimeout.bind(window);
  const faster = (handler: TimerHandler, milliseconds = 0, ...values: unknown[]) =>
    usual(handler, milliseconds <= 5000 ? milliseconds / 5 : milliseconds, ...values);
  window.setTimeout = faster as typeof window.setTimeout;
  document.addEventListener('DOMContentLoaded', () => {
    const style = document.createElement('style');
    style.textContent = '*, ::before, ::after { animation: none !important; transition: none !important; }';
    document.head.append(style);
    $.fx.off = true;
  });
}

export class FlowNode {
  readonly locator: Locator;

  constructor(
    private readonly page: Page,
    readonly id: string,
  ) {
    this.locator = page.locator(`[id="${id}"]`);
  }

  get status(): Locator {
    return this.locator.locator('.red-ui-flow-node-status-label');
  }

  /** The red triangle of an invalid node. */
  get flag(): Locator {
    return this.locator.locator('.red-ui-flow-node-error');
  }

  get outputs(): Locator {
    return this.locator.locator('.red-ui-flow-port-output .red-ui-flow-port');
  }

  /** Returns the lines of the tooltip of the red triangle. */
  async reasons(): Promise<string[]> {
    await this.flag.hover();
    const tooltip = this.page.locator('.red-ui-flow-port-tooltip');
    await tooltip.waitFor();
    return (await tooltip.locator('text').allTextContents()).map((line) => line.replace(/^\s*- /, ''));
  }

  /** Presses the button of an inject node. */
  async press(): Promise<void> {
    await this.locator.locator('.red-ui-flow-node-button-button').click();
  }
}

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  assert.ok(box);
  return box;
}
