import assert from 'node:assert/strict';
import { words } from '../flow/words';
import { Editor } from './editor';
import type { Stage } from './stage';

/** How the editor marks the dialogs of this package in what it gets of all packages. */
const OURS = '<!-- --- [red-module:@stash-flows/';

/** Dialogs that load in another order, as after an installation, when the editor requests all of them at once. */
export function describeAnyOrder(stage: Stage): void {
  it('the dialogs work in whatever order the editor loads them', async () => {
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
