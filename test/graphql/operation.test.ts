import assert from 'node:assert/strict';
import { status } from '../../src/operations/library/status';
import { scrapePerformer } from '../../src/operations/performers/scrape';
import { scan } from '../../src/operations/scan/scan';
import { stop } from '../../src/operations/tasks/stop';
import { json } from '../fake-stash/answers';
import type { FakeStash } from '../fake-stash/fake-stash';
import { failure, freePort, Message, options, TestServer, useServer } from '../support/connect';

describe('The operation of a message', () => {
  let stash: FakeStash;
  let server: TestServer;
  useServer((...both) => {
    [stash, server] = both;
  });
  let call: Message;

  beforeEach(() => {
    call = new Message();
  });

  const scanOf = (paths: string[] | null) =>
    scan(server, { paths, options: [], reply: 'finished', listNew: 5 }, call);

  it('is the root field of a query', async () => {
    await status(server, { fields: ['status'] }, call);
    assert.deepEqual(call.operations, ['systemStatus']);
  });

  it('is each root field in turn if the result needs several queries', async () => {
    await status(server, { fields: ['status', 'jobs'] }, call);
    assert.deepEqual(call.operations, ['systemStatus', 'jobQueue']);
  });

  it('is the root field of a look-up', async () => {
    await scrapePerformer(server, { performer: 'Nobody', fields: ['name'], source: '', listMaxAge: 0 }, call);
    assert.deepEqual(call.operations, ['scrapeSinglePerformer']);
  });

  it('is the mutation that starts a job, and not an earlier or later request', async () => {
    await scanOf(null);
    assert.deepEqual(call.operations, ['metadataScan']);
    assert.ok(stash.requests.some(({ operation }) => operation === 'findScenes'));
  });

  it('is the mutation even while its paths are checked', async () => {
    assert.equal((await failure(scanOf(['/elsewhere']))).case, 'PATH_NOT_IN_LIBRARY.outside');
    assert.deepEqual(new Set(call.operations), new Set(['metadataScan']));
    assert.deepEqual(
      stash.requests.map(({ operation }) => operation).filter((name) => name === 'metadataScan'),
      [],
    );
  });

  it('is jobQueue if there is nothing to stop', async () => {
    await stop(server, { job: null }, call);
    assert.deepEqual(call.operations, ['jobQueue']);
  });

  it('is known if the query fails', async () => {
    stash.answerWith(json({ errors: [{ message: 'no' }], data: null }), { field: 'systemStatus' });
    await failure(status(server, { fields: ['status'] }, call));
    assert.deepEqual(call.operations, ['systemStatus']);
  });

  it('is known if the state of the server forbids it', async () => {
    stash.answerWith(json({ data: { systemStatus: { status: 'SETUP' } } }), { field: 'systemStatus' });
    assert.equal((await failure(scanOf(null))).code, 'SERVER_STATE');
    assert.deepEqual(call.operations, ['metadataScan']);
  });

  it('is unknown if the schema could not be read', async () => {
    const unreachable = new TestServer(options(`http://127.0.0.1:${await freePort()}`), null);
    await failure(status(unreachable, { fields: ['status'] }, call));
    assert.deepEqual(call.operations, []);
    await unreachable.close();
  });
});
