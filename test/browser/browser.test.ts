import assert from 'node:assert/strict';
import { describeActionNodes, flowsAround } from './action-nodes';
import { describeAnyOrder } from './any-order';
import { chromiumPath } from './chromium';
import { describeLayout, layoutFlows } from './layout';
import { describeOldFlows, oldFlows } from './old-flows';
import { describeOutputs, outputFlows } from './outputs';
import { describeServers, networkNodes, tab } from './servers';
import { describeSignIn } from './sign-in';
import { addScrapers, describeSources } from './sources';
import { Stage } from './stage';
import { describeStart } from './start';
import { describeUncaught, uncaughtFlows } from './uncaught';

describe('In the editor, by hand', function () {
  const stage = new Stage();

  before(async function () {
    this.timeout(120_000);
    await stage.start({
      flows: [
        ...flowsAround(),
        ...oldFlows,
        ...outputFlows,
        tab,
        ...networkNodes,
        ...layoutFlows,
        ...uncaughtFlows,
      ],
    });
    addScrapers(stage.stash);
    await stage.editor.ready();
  });
  afterEach(async function () {
    await stage.recover(this.currentTest);
  });
  after(() => stage.end());

  describeActionNodes(stage);
  describeOldFlows(stage);
  describeOutputs(stage);
  describeSources(stage);
  describeServers(stage);
  describeLayout(stage);
  describeUncaught(stage);
  describeAnyOrder(stage);

  // The last ones, as they look at all that was done until then.
  it('nothing is asked of the internet', () => {
    assert.deepEqual(stage.editor.hosts(), ['127.0.0.1']);
  });

  it('the console shows no error', () => {
    assert.deepEqual(stage.editor.errors, []);
  });
});

describe('In an editor with users', describeSignIn);

describe('In the editor of npm start', describeStart);

describe('A machine without a browser', () => {
  const nothing: string[] = [];

  it('is told how to get one', () => {
    assert.throws(
      () => chromiumPath({ PATH: '' }, nothing),
      /none was found\. Install one, or set CHROMIUM_PATH/,
    );
  });

  it('is told when what it names is no program', () => {
    assert.throws(
      () => chromiumPath({ CHROMIUM_PATH: __dirname }, nothing),
      /CHROMIUM_PATH names no program/,
    );
  });
});
