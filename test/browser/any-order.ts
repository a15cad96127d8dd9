import assert from 'node:assert/strict';
import { words } from '../flow/words';
import { Editor } from './editor';
import type { Stage } from './stage';

/** Marks a dialog of this package in the response with the dialogs of all packages. */
const OURS = '<!-- --- [red-module:@stash-flows/';

/** Describes that dialogs load in any order, as they may after an installation. */
export function describeAnyOrder(stage: Stage): void {
  it('the dialogs work in any order in which the editor loads them', async () => {
    const context = await stage.browser.newContext({ viewport: { width: 1400, height: 900 } });
    let moved = 0;
    await context.route('**/nodes?*', async (route) => {
      const response = await route.fetch();
      const parts = (await response.text()).split(/(?=<!-- --- \[red-module:)/);
      const others = parts.filter((part) => !part.startsWith(OURS));
      const ours = parts.filter((part) => part.startsWith(OURS));
      moved += ours.length;
      await route.fulfill({ response, body: [...others, ...ours.reverse()].join('') });
    });
    const editor = await Editor.open(context, stage.nodeRed.url);
    await editor.ready();
    assert.ok(moved > 1);
    const dialog = await editor.openDialog(await editor.drag('stash-generate', 200, 100));
    await dialog.text(words('generate', 'invalid.kinds')).waitFor();
    await dialog.cancel();
    assert.deepEqual(editor.errors, []);
    await context.close();
  });
}
