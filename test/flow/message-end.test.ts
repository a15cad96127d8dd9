import type { NodeInitializer } from 'node-red';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { StashError } from '../../src/errors';
import type words from '../../nodes/studios/words/en-US.json';
import { actionNode, type NodeRED } from '../../src/flow';
import type { UnfinishedUpdate } from '../../src/records';
import { askedWords, load, type Message } from '../support/flow';
import { nodeModules } from '../support/nodes';
import { helper } from '../support/runtime';
import { words as textOf } from '../support/words';

const update: UnfinishedUpdate = {
  ...{ ids: ['1', '6'], unchanged: ['2'], remaining: ['3'], gone: ['4'], uncertain: ['5'] },
  created: [{ kind: 'tag', id: '7', name: 'Sea' }],
};

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

  it('has said what it has changed, which is on the message with the error, and in its sentence', async () => {
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
    const said = askedWords.flatMap(({ key, values }) => {
      const [, own] = /server:(soFar\..*)/.exec(key) ?? [];
      return own === undefined ? [] : [textOf('server', own, { ...values, details: ' (…)' })];
    });
    assert.deepEqual(said, [
      ...['new: Sea', 'removed meanwhile: 1', 'uncertain: 1', 'left: 1'],
      'Changed so far: 2 (…).',
    ]);
    assert.match(msg.stash.summary ?? '', /soFar\.text$/);
    assert.match(msg.error.message, /soFar\.text$/);
  });
});
