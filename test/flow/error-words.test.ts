import assert from 'node:assert/strict';
import type { NodeAPI } from 'node-red';
import { words } from './words';
import { StashError } from '../../src/errors';
import { describeError } from '../../src/flow/words';
import { OLDEST } from '../../src/graphql/schema';

const SERVER = '@stash-flows/node-red-stash/server:';

/** Returns a node that finds its own words in its catalogue, or in that of stash-server if the key says so. */
function nodeRed(node: string): NodeAPI {
  const find = (key: string, values?: Record<string, unknown>) => {
    const own = key.startsWith(SERVER) ? key.slice(SERVER.length) : key;
    try {
      return words(own === key ? node : 'server', own, values);
    } catch {
      // Node-RED returns a key that has no text.
      return own;
    }
  };
  return { _: find } as unknown as NodeAPI;
}

describe('An error message', () => {
  const textFor = (node: string, property: string) => {
    const details = { property, source: 'msg.payload' };
    return describeError(nodeRed(node), new StashError('BAD_INPUT.empty', { details })).message;
  };

  it('names a property with its label in the dialog', () => {
    assert.match(textFor('generate', 'sceneIDs'), /“Scenes” \(msg\.payload\)/);
    assert.match(textFor('backup', 'filename'), /“File name”/);
  });

  it('names a field of a list of changes with its label in the dialog', () => {
    assert.match(textFor('update', 'playCount'), /“Play count” \(msg\.payload\)/);
  });

  it('names a shared property with its shared label', () => {
    assert.match(textFor('scan', 'paths'), /“Folders”/);
  });

  it('names a property without a label with its own name', () => {
    assert.match(textFor('scan', 'nope'), /“nope”/);
  });

  it('names the release that is needed where the server is too old', () => {
    const error = new StashError('UNSUPPORTED.tooOld', { details: { release: 'v0.7.0', since: OLDEST } });
    assert.match(describeError(nodeRed('scan'), error).message, /\(v0\.7\.0\) .* Stash v0\.8\.0,/);
  });

  it('contains no control characters and at most 300 characters of a quoted text', () => {
    const path = `/a\n22 Nov 12:00:00 - [info] forged\u001b[2J${'x'.repeat(1000)}`;
    const error = new StashError('PATH_NOT_IN_LIBRARY.outside', { details: { path, folders: '/b' } });
    const { message } = describeError(nodeRed('scan'), error);
    assert.doesNotMatch(message, /\p{Cc}/u);
    assert.ok(message.length < 700, `${message.length} characters`);
  });

  it('has a space between its sentences only in languages that put one there', () => {
    const japanese = { _: (key: string) => (key.endsWith('.remedy') ? '修正してください。' : '空です。') };
    const { message } = describeError(japanese as unknown as NodeAPI, new StashError('NO_SERVER.none'));
    assert.equal(message, '空です。修正してください。');
    assert.match(textFor('scan', 'paths'), /is empty\. Nothing was sent\. Set it/);
  });
});
