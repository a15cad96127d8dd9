import assert from 'node:assert/strict';
import { released } from '../contract/released';
import { pageFlows } from '../support/examples';
import { describeByHand } from './by-hand';
import { describeNewerFlow } from './newer-flow';
import { describePresses } from './presses';
import type { Stage } from './stage';

interface EditorNode {
  id: string;
  changed?: boolean;
  valid?: boolean;
  validationErrors?: string[];
}

declare const RED: {
  nodes: {
    dirty: () => boolean;
    eachNode: (callback: (node: EditorNode) => void) => void;
    eachConfig: (callback: (node: EditorNode) => void) => void;
  };
};

describeByHand(
  { flows: [...released, ...pageFlows().flat()] },
  describeReleased,
  describePresses,
  describeNewerFlow,
);

function describeReleased(stage: Stage): void {
  it('a flow that this release has saved, or that is on the page about flow files, opens with nothing to deploy, and no marked node', async () => {
    const marked = await stage.editor.page.evaluate(() => {
      const nodes: EditorNode[] = [];
      RED.nodes.eachNode((node) => nodes.push(node));
      RED.nodes.eachConfig((node) => nodes.push(node));
      return nodes
        .filter(({ changed, valid }) => changed === true || valid === false)
        .map(({ id, changed, validationErrors }) => ({ id, changed, validationErrors }));
    });

    assert.deepEqual(marked, []);
    assert.equal(await stage.editor.page.evaluate(() => RED.nodes.dirty()), false);
  });
}
