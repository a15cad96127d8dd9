import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { exampleText } from '../support/examples';
import { words } from '../support/words';
import { Editor } from './editor';
import { eventually } from './eventually';
import { SERVER, type Stage } from './stage';

/** The part of the editor's API that saves tests from opening many dialogs. */
declare const RED: {
  nodes: {
    add(node: object): void;
    eachNode(callback: (node: Record<string, unknown>) => void): void;
    remove(id: string): void;
  };
  actions: { invoke(action: string): void };
};

/** An example with three nodes of this package and no server. */
const EXAMPLE = exampleText('Scan and generate every night');
const USERS = (JSON.parse(EXAMPLE) as { type: string }[]).filter(({ type }) =>
  type.startsWith('stash-'),
).length;

/** A node that gets its server from a variable of a subflow, so that no offer is about it. */
export const variableFlows: object[] = [
  {
    ...{ id: 'with-variable', type: 'subflow', name: 'with variable', in: [], out: [] },
    env: [{ name: 'Server', type: 'stash-server', value: '', ui: { type: 'conf-types' } }],
  },
  {
    id: 'from-variable',
    type: 'stash-status',
    z: 'with-variable',
    server: '${Server}',
    x: 200,
    y: 100,
    wires: [],
  },
];

/** Describes the offer to use the only server for all nodes. */
export function describeOnlyServer(stage: Stage): void {
  it('the editor offers the only server for an imported example, in one step that can be undone', async () => {
    await inNewEditor(stage, async (editor) => {
      await importExample(editor);
      assert.deepEqual(await servers(editor.page), new Array(USERS).fill(''));

      await editor.page.getByText(question(SERVER.name, USERS)).waitFor();
      await answer(editor, 'yes');
      assert.deepEqual(await servers(editor.page), new Array(USERS).fill(SERVER.id));
      await editor.page.locator('.red-ui-flow-node-error:visible').first().waitFor({ state: 'detached' });

      await editor.page.evaluate(() => {
        RED.actions.invoke('core:undo');
      });
      assert.deepEqual(await servers(editor.page), new Array(USERS).fill(''));
    });
  });

  it('the editor asks one question at a time, and no more once the user has declined', async () => {
    await inNewEditor(stage, async (editor) => {
      const { page } = editor;
      await importExample(editor);
      await page.getByText(question(SERVER.name, USERS)).waitFor();
      await importExample(editor, 2);
      await page.getByText(question(SERVER.name, 2 * USERS)).waitFor();
      await eventually(
        () => page.locator('.red-ui-notification button:visible').count(),
        (count) => {
          assert.equal(count, 2, 'the buttons of one question');
        },
      );
      await answer(editor, 'no');
      assert.deepEqual(await servers(page), new Array(2 * USERS).fill(''));
    });
  });

  it('the buttons of the question stay where they are when the notification about the import ends', async () => {
    await inNewEditor(stage, async (editor) => {
      const { page } = editor;
      await importExample(editor);
      const all = page.locator('.red-ui-notification');
      const question = all.filter({ has: page.locator('button') });
      await question.waitFor();
      const imported = all.filter({ hasNot: page.locator('button') });
      const place = async () => (await question.boundingBox())?.y;
      const before = await place();
      // As when its time is over.
      await imported.click();
      await imported.waitFor({ state: 'detached' });
      assert.equal(await place(), before);
    });
  });

  it('no node gets a server that was deleted before the answer', async () => {
    await inNewEditor(stage, async (editor) => {
      await importExample(editor);
      await editor.page.getByText(question(SERVER.name, USERS)).waitFor();
      await removeServer(editor.page);
      await answer(editor, 'yes');
      assert.deepEqual(await servers(editor.page), new Array(USERS).fill(''));
    });
  });

  it('a node that is added by hand gets the only server without a question', async () => {
    await inNewEditor(stage, async (editor) => {
      await editor.drag('stash-status', 200, 60);
      assert.deepEqual(await servers(editor.page), [SERVER.id]);
      assert.equal(await editor.page.locator('.red-ui-notification button').count(), 0);
    });
  });

  it('a new server is that of all nodes without one, whichever way its dialog was opened', async () => {
    await inNewEditor(stage, async (editor) => {
      await removeServer(editor.page);
      await importExample(editor);
      const [scan] = await ids(editor.page);
      assert.ok(scan);
      assert.equal(await editor.page.locator('.stash-steps').count(), 0, 'an import opens no dialog');
      const dialog = await editor.openDialog(editor.node(scan));
      const server = await editor.openServerOf('add');
      await server.close();
      await dialog.close();
      const [first, ...others] = await servers(editor.page);
      assert.ok(first);
      assert.deepEqual(others, new Array(USERS - 1).fill(first));
      assert.equal(await editor.page.locator('.red-ui-notification button').count(), 0);
    });
  });

  it('the editor lets the user choose one of several servers for an imported example', async () => {
    await inNewEditor(stage, async (editor) => {
      assert.equal(
        await editor.page.locator('.red-ui-notification').count(),
        0,
        'after the load of the flows',
      );
      await editor.page.evaluate((type) => {
        const users: object[] = [];
        RED.nodes.add({
          id: 'another',
          type,
          name: 'another <b>',
          _def: { category: 'config', defaults: {} },
          users,
        });
      }, 'stash-server');
      await importExample(editor);
      await editor.page.getByText(words('server', 'offer.several_other', { count: USERS })).waitFor();
      const buttons = editor.page.locator('.red-ui-notification button');
      assert.deepEqual(await buttons.allTextContents(), [
        words('server', 'offer.no'),
        SERVER.name,
        'another <b>',
      ]);
      await buttons.last().click();
      assert.deepEqual(await servers(editor.page), new Array(USERS).fill('another'));
    });
  });
}

/** Removes the only server. */
export async function removeServer(page: Page): Promise<void> {
  await page.evaluate((id) => {
    RED.nodes.remove(id);
  }, SERVER.id);
}

/** Opens an editor whose changes end with it. */
export async function inNewEditor(stage: Stage, what: (editor: Editor) => Promise<void>): Promise<void> {
  // In the browser context of the other one, which has all that the page loads.
  const editor = await Editor.open(stage.editor.page.context(), stage.nodeRed.url);
  await editor.ready();
  await editor.page.evaluate(() => {
    RED.nodes.eachNode((node) => {
      node['wasThere'] = true;
    });
  });
  try {
    await what(editor);
    assert.deepEqual(editor.errors, []);
  } finally {
    await editor.page.close();
  }
}

/** Imports the example to a new tab. @param times how often, with this time. */
export async function importExample({ page }: Editor, times = 1): Promise<void> {
  await page.evaluate(() => {
    RED.actions.invoke('core:show-import-dialog');
  });
  const text = page.locator('#red-ui-clipboard-dialog-import-text');
  // Each time with other ids: the editor asks about known ones.
  await text.fill(EXAMPLE.replace(/"[0-9a-f]([0-9a-f]{15})"/g, `"${times}$1"`));
  // The dialog validates the pasted text on keyup.
  await text.press('End');
  await page.locator('#red-ui-clipboard-dialog-import-opt-new').click();
  await page.locator('#red-ui-clipboard-dialog-ok').click();
  await page.locator('#red-ui-clipboard-dialog').waitFor({ state: 'hidden' });
  await eventually(
    () => ids(page),
    (found) => {
      assert.equal(found.length, times * USERS);
    },
  );
  // The imported nodes follow the mouse until they are dropped.
  const chart = page.locator('#red-ui-workspace-chart');
  await chart.hover({ position: { x: 420, y: 260 } });
  await page.mouse.down();
  await page.mouse.up();
  // The imported nodes are all selected.
  await page.keyboard.press('Escape');
}

async function answer({ page }: Editor, which: 'yes' | 'no'): Promise<void> {
  await page.locator('.red-ui-notification button', { hasText: words('server', `offer.${which}`) }).click();
}

function question(name: string, count: number): string {
  return words('server', `offer.question_${count === 1 ? 'one' : 'other'}`, { name, count });
}

/** Returns the ids of the nodes of the example. */
async function ids(page: Page): Promise<string[]> {
  return (await users(page)).map(({ id }) => String(id));
}

/** Returns the servers of the nodes of the example. */
export async function servers(page: Page): Promise<string[]> {
  return (await users(page)).map(({ server }) => String(server));
}

async function users(page: Page): Promise<Record<string, unknown>[]> {
  return await page.evaluate(() => {
    const found: Record<string, unknown>[] = [];
    RED.nodes.eachNode((node) => {
      const { id, type, server, wasThere } = node;
      if (String(type).startsWith('stash-') && wasThere !== true) found.push({ id, server });
    });
    return found;
  });
}
