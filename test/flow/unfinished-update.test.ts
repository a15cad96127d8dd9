import type { NodeInitializer } from 'node-red';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { StashError } from '../../src/errors';
import type words from '../../nodes/locales/en-US/studios.json';
import { actionNode, type NodeRED } from '../../src/flow';
import type { UnfinishedUpdate } from '../../src/records';
import { load, type Message } from '../support/flow';
import { nodeModules } from '../support/nodes';
import { helper } from '../support/runtime';

const update: UnfinishedUpdate = { ids: ['1'], unchanged: ['2'], created: [], remaining: ['3'] };

/** A node whose messages fail in the middle of an update. */
const failing: NodeInitializer = (RED) => {
  const node = actionNode(RED as NodeRED<typeof words>, {
    inputs: {},
    run: (_server, _input, call) => {
      call.report?.({ update });
      return Promise.reject(new StashError('OUTCOME_UNKNOWN.lost'));
    },
    reply: () => ({ outcome: 'listed', payload: null, values: { count: 0 } }),
  });
  RED.nodes.registerType('stash-failing', node);
};

describe('An update that an error ends', () => {
  afterEach(() => helper.unload());

  it('has said what it has changed, which is on the message with the error', async () => {
    const at = { z: 'tab', x: 10, y: 10 };
    await load(
      [
        { id: 'tab', type: 'tab', label: '' },
        { id: 'server1', type: 'stash-server', name: 'nas', url: 'http://127.0.0.1:1' },
        { id: 'tested', type: 'stash-failing', server: 'server1', ...at, wires: [] },
        { id: 'catcher', type: 'catch', scope: ['tested'], ...at, wires: [['errors']] },
        { id: 'errors', type: 'helper', ...at, wires: [] },
      ],
      {},
      [...nodeModules(), failing],
    );
    const caught = once(helper.getNode('errors'), 'input');
    helper.getNode('tested').receive({ payload: 'mine' });
    const [msg] = (await caught) as [Message];
    assert.equal(msg.error?.code, 'OUTCOME_UNKNOWN');
    assert.deepEqual(msg.stash?.['update'], update);
  });
});
