import assert from 'node:assert/strict';
import { scan } from '../../src/operations/scan/scan';
import type { ServerOptions } from '../../src/server/options';
import { json } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { answerLate, cut, silence } from '../fake-stash/faults';
import { failure, Message, options, TestServer } from '../support/connect';

describe('The log', () => {
  const lines: string[] = [];
  /** The times in the lines, in milliseconds. */
  const durations: number[] = [];
  let stash: FakeStash;
  let server: TestServer;

  function connect(changes: Partial<ServerOptions> = {}): TestServer {
    const log = (line: string) => {
      durations.push(Number(/(\d+) ms/.exec(line)?.[1]));
      lines.push(line.replace(/\d+ ms/, 'N ms'));
    };
    return new TestServer({ ...options(stash.url, changes), name: 'nas', log });
  }

  beforeEach(async () => {
    lines.length = durations.length = 0;
    stash = await FakeStash.start();
    server = connect();
  });
  afterEach(async () => {
    await server.close();
    await stash.stop();
  });

  it('contains a line for each request: operation, server, HTTP status, time, length', async () => {
    await server.query();

    assert.deepEqual(lines, ['systemStatus nas: 200, N ms, 41 bytes']);
  });

  it('tells how long each request took', async () => {
    const begun = performance.now();
    stash.answerWith(answerLate(50), { times: 1 });
    await server.query();
    const [milliseconds = 0] = durations;
    assert.ok(milliseconds >= 49 && milliseconds <= performance.now() - begun + 1, String(milliseconds));
  });

  it('names the server for a sign-in, as for any request', async () => {
    const credentials = { username: 'amy', password: 's3cret' };
    await stash.stop();
    stash = await FakeStash.start({ credentials });
    const signedIn = connect({ auth: 'session', ...credentials });
    await signedIn.query();
    await signedIn.close();

    assert.deepEqual(lines, ['login nas: 200, N ms, 0 bytes', 'systemStatus nas: 200, N ms, 41 bytes']);
  });

  it('contains the id of the job that a mutation has started', async () => {
    await scan(server, { paths: null, options: [] }, new Message());

    assert.deepEqual(lines.slice(-2), [
      'systemStatus nas: 200, N ms, 41 bytes',
      'metadataScan nas: 200, N ms, 29 bytes, job 1',
    ]);
  });

  it('contains the error of a failed request', async () => {
    stash.answerWith(json({ errors: [{ message: 'no' }], data: null }, 422), { times: 1 });
    await failure(server.query());
    stash.answerWith(silence, { times: 1 });
    const impatient = connect({ timeout: 0.1 });
    await failure(impatient.query());
    await impatient.close();

    assert.deepEqual(lines, [
      'systemStatus nas: 422, N ms, 41 bytes, GRAPHQL.refused',
      // The request that checks whether the schema has changed.
      lines[1],
      'systemStatus nas: no answer, N ms, 0 bytes, TIMEOUT.noAnswer',
    ]);
    assert.match(lines[1] ?? '', /^introspection nas: 200, N ms, \d+ bytes$/);
  });

  it('contains a line for each attempt of a query', async () => {
    stash.answerWith(cut, { times: 1 });
    await server.query();

    assert.deepEqual(lines, [
      'systemStatus nas: no answer, N ms, 0 bytes, UNREACHABLE.lost',
      'systemStatus nas: 200, N ms, 41 bytes',
    ]);
  });

  it('contains neither variables nor response data', async () => {
    await server.search('Robin Vale', new Message());

    assert.equal(lines.length, 1);
    assert.doesNotMatch(lines.join(), /Robin|Vale/);
  });
});
