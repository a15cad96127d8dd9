import assert from 'node:assert/strict';
import { addScrapers } from './sources';
import { Stage } from './stage';

/** Describes tests that use one editor with some flows, one after another, and what is true of all they did. */
export function describeByHand(flows: object[], ...describers: ((stage: Stage) => void)[]): void {
  describe('In the editor', function () {
    const stage = new Stage();

    before(async function () {
      this.timeout(120_000);
      await stage.start({ flows });
      addScrapers(stage.stash);
      await stage.editor.ready();
    });
    afterEach(async function () {
      await stage.recover(this.currentTest);
    });
    after(() => stage.end());

    for (const describeSome of describers) describeSome(stage);

    // The last ones, as they look at all that was done until then.
    it('no request goes to the internet', () => {
      assert.deepEqual(stage.editor.hosts(), ['127.0.0.1']);
    });

    it('the console shows no error', () => {
      assert.deepEqual(stage.editor.errors, []);
    });
  });
}
