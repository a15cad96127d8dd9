import assert from 'node:assert/strict';
import path from 'node:path';
import { root } from '../support/root';
import { addScrapers } from './sources';
import { Stage, type StageOptions } from './stage';

/** The settings of a Node-RED whose editor works quickly. node-red-settings-editor.js says what is different. */
const QUICK = path.join(root, 'test', 'support', 'node-red-settings-editor.js');

/** Describes tests that share one editor and its flows, and then checks the requests and the console of all of them. */
export function describeByHand(options: StageOptions, ...describers: ((stage: Stage) => void)[]): void {
  describe('In the editor', function () {
    const stage = new Stage();

    before(async function () {
      this.timeout(120_000);
      await stage.start({ settings: QUICK, ...options });
      addScrapers(stage.stash);
      await stage.editor.ready();
    });
    afterEach(async function () {
      await stage.recover(this.currentTest);
    });
    after(() => stage.end());

    for (const describeSome of describers) describeSome(stage);

    // These tests come last because they check what all others did.
    it('the editor sends no request to the internet', () => {
      assert.deepEqual(stage.editor.hosts(), ['127.0.0.1']);
    });

    it('the console shows no error', () => {
      assert.deepEqual(stage.editor.errors, []);
    });
  });
}
