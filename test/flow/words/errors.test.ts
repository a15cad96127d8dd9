import assert from 'node:assert/strict';
import { forgetTexts, textsFor } from '../../support/words';
import { StashError } from '../../../src/errors';
import { describeError, reportOf } from '../../../src/flow/words';
import { OLDEST } from '../../../src/graphql/schema';
import type { Server } from '../../../src/server';

describe('An error message', () => {
  after(forgetTexts);

  const messageOf = async (error: StashError, node = 'scan', language?: string) =>
    describeError(await textsFor(node, language), error).message;
  const textFor = (node: string, property: string) =>
    messageOf(new StashError('BAD_INPUT.empty', { details: { property, source: 'msg.payload' } }), node);

  it('names a property with its label in the dialog', async () => {
    assert.match(await textFor('generate', 'sceneIDs'), /“Scenes” \(msg\.payload\)/);
    assert.match(await textFor('backup', 'filename'), /“File name”/);
  });

  it('names a field of a list of changes with its label in the dialog', async () => {
    assert.match(await textFor('update', 'playCount'), /“Play count” \(msg\.payload\)/);
  });

  it('names a shared property with its shared label', async () => {
    assert.match(await textFor('scan', 'paths'), /“Folders”/);
  });

  it('names a property without a label with its own name', async () => {
    assert.match(await textFor('scan', 'nope'), /“nope”/);
  });

  it('names the release that is needed where the server is too old', async () => {
    const error = new StashError('UNSUPPORTED.tooOld', { details: { release: 'v0.7.0', since: OLDEST } });
    assert.match(await messageOf(error), /\(v0\.7\.0\) .* Stash v0\.8\.0,/);
  });

  it('contains no control characters and at most 300 characters of a quoted text', async () => {
    const path = `/a\n22 Nov 12:00:00 - [info] forged\u001b[2J${'x'.repeat(1000)}`;
    const error = new StashError('PATH_NOT_IN_LIBRARY.outside', { details: { path, folders: '/b' } });
    const message = await messageOf(error);
    assert.doesNotMatch(message, /\p{Cc}/u);
    assert.ok(message.length < 700, `${message.length} characters`);
  });

  it('has a space between its sentences only in languages that put one there', async () => {
    assert.match(await messageOf(new StashError('NO_SERVER.none'), 'scan', 'ja'), /。\p{L}/u);
    assert.match(await textFor('scan', 'paths'), /is empty\. Nothing was sent\. Set it/);
  });
});

describe('The summary of an error', () => {
  after(forgetTexts);

  const server = { name: 'nas' } as Server;
  const summaryFor = async (node: { name: string; type: string }, server?: Server, language?: string) => {
    const RED = await textsFor(node.type.replace('stash-', ''), language);
    return reportOf(RED, new StashError('SERVER_STATE.setup'), { node, server }).facts.summary;
  };

  it('says which node failed, by its label in the flow, and on which server', async () => {
    const nameless = { name: '', type: 'stash-new' };
    assert.match(
      await summaryFor(nameless, server),
      /^“stash new items” on nas failed\. Stash is not set up/,
    );
    const named = { name: 'every night', type: 'stash-backup' };
    assert.match(await summaryFor(named, server), /^“every night” on nas failed\. /);
    assert.match(await summaryFor(named, server, 'ja'), /^nas: 「every night」が失敗しました。\p{L}/u);
  });

  it('names no server if the message found none', async () => {
    assert.match(await summaryFor({ name: '', type: 'stash-scan' }), /^“stash scan” failed\. /);
  });
});
