import assert from 'node:assert/strict';
import { Schema } from '../../src/graphql/schema';
import { searchPerformers } from '../../src/operations/performers/search';
import { type Answer, json, send, unauthorized } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { answerLate, cut, type Handler, silence } from '../fake-stash/faults';
import { failure, Message, options, TestServer } from '../support/connect';
import { collectGarbage } from '../support/garbage';
import { passTimeLimit } from '../support/time-limit';
import { until } from '../support/waiting';

describe('The state check before a mutation', () => {
  let stash: FakeStash;
  let server: TestServer;

  beforeEach(async () => {
    stash = await FakeStash.start();
    server = new TestServer(options(stash.url));
  });
  afterEach(async () => {
    await server.close();
    await stash.stop();
  });

  function operations(): (string | undefined)[] {
    return stash.requests.map(({ operation }) => operation);
  }

  /** Holds the next state request until the returned function is called. */
  function hold(answer?: Answer): () => void {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handler: Handler = async (request, response, _body, execute) => {
      await released;
      send(request, response, answer ?? (await execute()));
    };
    stash.answerWith(handler, { field: 'systemStatus', times: 1 });
    return () => {
      release();
    };
  }

  async function untilRequests(count: number): Promise<void> {
    await until(() => stash.requests.length >= count);
  }

  it('runs before each mutation', async () => {
    await server.scan();
    await server.scan();
    await server.backup();
    assert.deepEqual(operations(), [
      'systemStatus',
      'metadataScan',
      'systemStatus',
      'metadataScan',
      'systemStatus',
      'backupDatabase',
    ]);
  });

  it('runs again before a mutation that is sent for a newer schema, because the server was upgraded', async () => {
    assert.equal(await server.scanAgain(), '1');
    assert.deepEqual(operations(), [
      'systemStatus',
      'metadataScan',
      'version',
      'systemStatus',
      'metadataScan',
    ]);

    await server.close();
    server = new TestServer(options(stash.url));
    stash.answerWith(json({ data: { systemStatus: { status: 'OK' } } }), { field: 'systemStatus', times: 1 });
    stash.status = 'NEEDS_MIGRATION';
    assert.equal((await failure(server.scanAgain())).case, 'SERVER_STATE.migration');
    assert.equal(stash.died, false);
  });

  it('does not run before queries and look-ups', async () => {
    await server.query('{ allStudios { id } }');
    await server.search('Robin');
    assert.deepEqual(operations(), ['allStudios', 'scrapeSitePerformerList']);
  });

  it('runs once for simultaneous mutations', async () => {
    const release = hold();
    const scans = Array.from({ length: 5 }, () => server.scan());
    await untilRequests(1);
    const late = server.backup();
    release();
    await Promise.all([...scans, late]);
    assert.equal(operations().filter((operation) => operation === 'systemStatus').length, 1);
    assert.equal(operations().filter((operation) => operation === 'metadataScan').length, 5);
    assert.equal(operations()[0], 'systemStatus');
  });

  it('refuses scan and backup in SETUP', async () => {
    stash.status = 'SETUP';
    for (const question of [server.scan(), server.backup()]) {
      const error = await failure(question);
      assert.equal(error.case, 'SERVER_STATE.setup');
      assert.equal(error.retry, true);
    }
    assert.deepEqual(operations(), ['systemStatus']);
  });

  it('refuses a scan in NEEDS_MIGRATION, which would crash the server', async () => {
    stash.status = 'NEEDS_MIGRATION';
    const error = await failure(server.scan());
    assert.equal(error.case, 'SERVER_STATE.migration');
    assert.equal(error.retry, true);
    assert.deepEqual(operations(), ['systemStatus']);
    assert.equal(stash.died, false);
  });

  it('allows a backup in NEEDS_MIGRATION', async () => {
    stash.status = 'NEEDS_MIGRATION';
    assert.deepEqual(await server.backup(), null);
  });

  it('allows a scan in a state of a later release', async () => {
    stash.answerWith(json({ data: { systemStatus: { status: 'INDEXING' } } }), { field: 'systemStatus' });
    assert.equal(await server.scan(), '1');
  });

  it('fails all mutations that share it, and no mutation is sent', async () => {
    stash.answerWith(unauthorized(), { field: 'systemStatus' });
    const errors = [server.scan(), server.scan(), server.backup()].map(failure);
    for (const error of await Promise.all(errors)) assert.equal(error.case, 'UNAUTHORIZED.keyNeeded');
    assert.deepEqual(operations(), ['systemStatus']);
  });

  it('runs again for a message that arrives when another one times out', async () => {
    stash.answerWith(silence, { field: 'systemStatus', times: 1 });
    const late = () => failure(server.scan());
    const error = await passTimeLimit(5, late, () => stash.requests.length > 0);
    assert.equal(error.case, 'TIMEOUT.noAnswer');
    assert.equal(await server.scan(), '1');
  });

  it('is skipped for a server that offers no state', async () => {
    await server.close();
    server = new TestServer(options(stash.url), Schema.read({ Query: { fields: [{ name: 'jobQueue' }] } }));
    assert.equal(await server.scan(), '1');
    assert.deepEqual(operations(), ['metadataScan']);
  });

  it('does not cache a failure', async () => {
    stash.answerWith(json({ errors: [{ message: 'busy' }], data: null }), { times: 1 });
    assert.equal((await failure(server.scan())).case, 'GRAPHQL.failed');
    assert.deepEqual(await server.scan(), '1');
  });

  it('continues for the other messages if one ends', async () => {
    const release = hold();
    const message = new Message();
    const ended = assert.rejects(server.scan(message), { message: 'removed' });
    const other = server.scan();
    await untilRequests(1);
    message.end(new Error('removed'));
    await ended;
    release();
    assert.deepEqual(await other, '1');
    assert.deepEqual(operations(), ['systemStatus', 'metadataScan']);
  });

  it('sends no mutation for a message that has ended during the check', async () => {
    const release = hold();
    const message = new Message();
    const ended = assert.rejects(server.scan(message), { message: 'removed' });
    await untilRequests(1);
    message.end(new Error('removed'));
    release();
    await ended;
    await server.query();
    assert.deepEqual(operations(), ['systemStatus', 'systemStatus']);
  });

  it('fails with an error of this package if the response contains no state', async () => {
    stash.answerWith(json({ data: {} }), { field: 'systemStatus' });
    await failure(server.scan());
    assert.deepEqual(operations(), ['systemStatus']);
  });
});

describe('A failed request', () => {
  let stash: FakeStash;
  let server: TestServer;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1' });
    server = new TestServer(options(stash.url), null);
  });
  afterEach(async () => {
    await server.close();
    await stash.stop();
  });

  const operations = () => stash.requests.map(({ operation }) => operation);
  const studios = () => server.query('{ allStudios { id } }');
  const search = () => searchPerformers(server, { query: 'Robin', source: '' }, new Message());
  const broken = json({ errors: [{ message: 'nil pointer' }], data: null });

  for (const [status, which] of [
    ['SETUP', 'SERVER_STATE.setup'],
    ['NEEDS_MIGRATION', 'SERVER_STATE.migration'],
  ] as const) {
    for (const [what, ask] of [
      ['query', studios],
      ['look-up', search],
    ] as const) {
      it(`becomes SERVER_STATE for a ${what} in ${status}`, async () => {
        stash.status = status;
        const error = await failure(ask());
        assert.equal(error.case, which);
        assert.equal(error.retry, true);
      });
    }
  }

  it('becomes SERVER_STATE for a query that was retried after a broken connection', async () => {
    await studios();
    stash.status = 'NEEDS_MIGRATION';
    stash.answerWith(cut, { field: 'allStudios', times: 1 });
    const error = await failure(studios());
    assert.equal(error.case, 'SERVER_STATE.migration');
    assert.equal(error.retry, true);
  });

  it('becomes SERVER_STATE for a mutation if the state has changed since the check', async () => {
    stash.answerWith(json({ data: { systemStatus: { status: 'OK' } } }), { field: 'systemStatus', times: 1 });
    stash.status = 'SETUP';
    const error = await failure(server.scan());
    assert.equal(error.case, 'SERVER_STATE.setup');
    assert.equal(error.retry, true);
  });

  it('keeps its error if the server is ready', async () => {
    stash.answerWith(broken, { field: 'allStudios' });
    assert.deepEqual((await failure(studios())).details, { text: 'nil pointer' });
    assert.deepEqual(operations(), ['version', 'allStudios', 'systemStatus']);
  });

  it('keeps its error for a backup in NEEDS_MIGRATION', async () => {
    stash.status = 'NEEDS_MIGRATION';
    stash.answerWith(broken, { field: 'backupDatabase' });
    assert.equal((await failure(server.backup())).case, 'GRAPHQL.failed');
  });

  it('keeps its error if the state cannot be read', async () => {
    for (const answer of [broken, unauthorized(), json({ data: {} })]) {
      stash.answerNormally();
      stash.answerWith(broken, { field: 'allStudios' });
      stash.answerWith(answer, { field: 'systemStatus' });
      const error = await failure(studios());
      assert.deepEqual([error.case, error.details], ['GRAPHQL.failed', { text: 'nil pointer' }]);
    }
  });

  it('keeps its error soon if the state does not come, also when Node.js collects garbage meanwhile', async () => {
    stash.answerWith(broken, { field: 'allStudios' });
    stash.answerWith(silence, { field: 'systemStatus' });
    // The time limit of a request would end after that of this test.
    const patient = new TestServer(options(stash.url, { timeout: 600 }));
    const error = failure(patient.query('{ allStudios { id } }'));
    await until(() => operations().includes('systemStatus'));
    await collectGarbage();
    assert.equal((await error).case, 'GRAPHQL.failed');
    await patient.close();
  });

  it('leads to one state request for many messages', async () => {
    stash.status = 'SETUP';
    const late = answerLate(300);
    const whenAllFailed: Handler = async (...question) => {
      await until(() => operations().filter((operation) => operation === 'allStudios').length === 10);
      await late(...question);
    };
    stash.answerWith(whenAllFailed, { field: 'systemStatus' });
    await Promise.all(Array.from({ length: 10 }, () => failure(studios())));
    assert.equal(operations().filter((operation) => operation === 'systemStatus').length, 1);
  });

  it('leads to no state request if the state request itself failed', async () => {
    stash.answerWith(broken, { field: 'systemStatus' });
    await failure(server.query());
    assert.deepEqual(operations(), ['version', 'systemStatus']);
  });

  it('leads to no state request on releases without systemStatus', async () => {
    await server.close();
    server = new TestServer(options(stash.url), Schema.read({ Query: { fields: [{ name: 'allStudios' }] } }));
    stash.answerWith(broken, { field: 'allStudios' });
    assert.equal((await failure(studios())).case, 'GRAPHQL.failed');
    assert.deepEqual(operations(), ['allStudios']);
  });
});
