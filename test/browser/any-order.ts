import assert from 'node:assert/strict';
import { Editor } from './editor';
import type { Stage } from './stage';

/** Marks a dialog of this package in the response with the dialogs of all packages. */
const OURS = '<!-- --- [red-module:@stash-flows/';

/** Marks the dialog of stash-server. */
const SERVER = 'data-template-name="stash-server"';

/** Describes that dialogs load in any order, as they may after an installation. */
export function describeAnyOrder(stage: Stage): void {
  it('the dialogs work in any order in which the editor loads them', async () => {
    const { editor, context } = await open((ours) => [...ours].reverse());
    const dialog = await editor.openDialog(await editor.drag('stash-generate', 200, 100));
    await dialog.tick('sprites');
    assert.equal((await dialog.values())['sprites'], false);
    await dialog.cancel();
    assert.deepEqual(editor.errors, []);
    await context.close();
  });

  it('the editor works without the dialog of stash-server, whose code the others need', async () => {
    const { editor, context } = await open((ours) => ours.filter((part) => !part.includes(SERVER)));
    const inPalette = (type: string) => editor.page.locator(`[data-palette-type="${type}"]`);
    await inPalette('inject').waitFor();
    assert.equal(await inPalette('stash-scan').count(), 0);
    assert.deepEqual(editor.errors, []);
    await context.close();
  });

  /** Opens an editor that gets the dialogs of this package as `arrange` says. */
  async function open(arrange: (ours: readonly string[]) => readonly string[]) {
    const context = await stage.browser.newContext({ viewport: { width: 1280, height: 720 } });
    let arranged = 0;
    await context.route('**/nodes?*', async (route) => {
      const response = await route.fetch();
      const parts = (await response.text()).split(/(?=<!-- --- \[red-module:)/);
      const others = parts.filter((part) => !part.startsWith(OURS));
      const ours = parts.filter((part) => part.startsWith(OURS));
      arranged += ours.length;
      await route.fulfill({ response, body: [...others, ...arrange(ours)].join('') });
    });
    const editor = await Editor.open(context, stage.nodeRed.url);
    await editor.ready();
    assert.ok(arranged > 1);
    return { editor, context };
  }
}
