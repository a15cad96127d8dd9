import assert from 'node:assert/strict';
import type { NodeAPI } from 'node-red';
import { words } from './words';
import { StashError } from '../../src/errors';
import { describeError } from '../../src/flow/words';

const SERVER = '@stash-flows/node-red-stash/server:';

/** As a node's own words are found: in its catalogue, or in that of stash-server where the key says so. */
function nodeRed(node: string): NodeAPI {
  const find = (key: string, values?: Record<string, unknown>) => {
    const own = key.startsWith(SERVER) ? key.slice(SERVER.length) : key;
    try {
      return words(own === key ? node : 'server', own, values);
    } catch {
      // Node-RED gives a key back that has no words.
      return own;
    }
  };
  return { _: find } as unknown as NodeAPI;
}

describe('The words of an error', () => {
  const textFor = (node: string, property: string) => {
    const details = { property, source: 'msg.payload' };
    return describeError(nodeRed(node), new StashError('BAD_INPUT.empty', { details })).message;
  };

  it('call a property of a node what its dialog calls it', () => {
    assert.match(textFor('generate', 'sceneIDs'), /"Scenes" \(msg\.payload\)/);
    assert.match(textFor('backup', 'filename'), /"File name"/);
  });

  it('call a property that several dialogs share what these call it', () => {
    assert.match(textFor('scan', 'paths'), /"Folders"/);
  });

  it('name a property that has no label', () => {
    assert.match(textFor('scan', 'nope'), /"nope"/);
  });

  it('have nothing that forges a line of the log, and no more of a text than 300 characters', () => {
    const path = `/a\n22 Nov 12:00:00 - [info] forged\u001b[2J${'x'.repeat(1000)}`;
    const error = new StashError('PATH_NOT_IN_LIBRARY.outside', { details: { path, folders: '/b' } });
    const { message } = describeError(nodeRed('scan'), error);
    assert.doesNotMatch(message, /\p{Cc}/u);
    assert.ok(message.length < 700, `${message.length} characters`);
  });
});
