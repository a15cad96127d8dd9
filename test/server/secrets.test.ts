import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { status } from '../../src/operations/library/status';
import { scan } from '../../src/operations/scan/scan';
import type { JobEvent } from '../../src/records';
import type { ServerOptions } from '../../src/server/options';
import { Server } from '../../src/server/server';
import { json } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { otherTask } from '../fake-stash/tasks';
import { failure, Message, options, TestServer } from '../support/connect';
import { ForwardProxy } from '../support/forward-proxy';
import { GOOD, RawServer } from '../support/raw-server';
import { until } from '../support/waiting';

const KEY = 'canary+key/with=signs.0123456789';

describe('A secret', () => {
  let stash: FakeStash;
  let server: Server;
  let lines: string[];
  let proxy: ForwardProxy | undefined;

  async function open(changes: Partial<ServerOptions> = {}): Promise<void> {
    stash = await FakeStash.start({ release: 'v0.30.1', apiKey: KEY });
    lines = [];
    const log = (line: string) => lines.push(line);
    server = new Server(options(stash.url, { auth: 'apiKey', apiKey: KEY, log, ...changes }));
  }
  afterEach(async () => {
    await server.close();
    await proxy?.stop();
    proxy = undefined;
    await stash.stop();
  });

  it('does not reach the log through the close reason of a socket, nor does a forged line', async () => {
    await open();
    const end = server.jobs.follow(() => undefined);
    await until(() => stash.sockets.subscribed.length === 2);
    stash.sockets.close(4403, `Forbidden: bad key ${KEY}\n[error] forged`);
    await until(() => lines.some((line) => line.includes('socket closed')));
    end();
    assert.match(lines.join('|'), /socket closed, Forbidden: bad key ••• \[error\] forged\|?/);
    for (const line of lines) assert.doesNotMatch(line, /[\p{Cc}]|canary/u);
  });

  it('is in no job record, whatever the server sends', async () => {
    await open();
    const events: JobEvent[] = [];
    const end = server.jobs.follow((event) => events.push(event));
    await until(() => stash.sockets.subscribed.length === 2);
    stash.jobs.add(otherTask(`Scanning ${KEY}\nforged\u001b[31m`));
    await until(() => events.some(({ type }) => type === 'ended'));
    end();
    const inspected = inspect(events, { depth: 20 });
    assert.ok(!inspected.includes(KEY), inspected);
    const [first] = events;
    assert.ok(first && 'job' in first);
    assert.equal(first.job.description, 'Scanning ••• forged [31m');
  });

  it('is masked in the library folders of an error', async () => {
    await open();
    const stashes = [{ path: `/films?key=${KEY}\n` }, ...new Array<object>(1000).fill({ path: '/x' })];
    stash.answerWith(json({ data: { configuration: { general: { stashes } } } }), { field: 'configuration' });
    const error = await failure(scan(server, { paths: ['/elsewhere'], options: [] }, new Message()));
    assert.equal(error.case, 'PATH_NOT_IN_LIBRARY.outside');
    const folders = String(error.details['folders']);
    assert.match(folders, /^\/films\?key=•••/);
    assert.ok(folders.length <= 300);
  });

  it('with half a surrogate pair works as a proxy password and is masked', async () => {
    proxy = await ForwardProxy.start();
    const password = 'pass\ud800word';
    await open({ proxy: { url: proxy.url, except: [], username: 'amy', password } });
    assert.equal((await status(server, { fields: ['status'] }, new Message())).status.status, 'OK');
    const sent = Buffer.from(password).toString();
    stash.answerWith(json({ errors: [{ message: `bad ${sent}` }] }), { field: 'systemStatus' });
    const error = await failure(status(server, { fields: ['status'] }, new Message()));
    assert.deepEqual(error.details, { text: 'bad •••' });
  });

  it('that is a proxy password is masked in job descriptions', async () => {
    proxy = await ForwardProxy.start();
    const password = 'pr0xy-canary';
    await open({ proxy: { url: proxy.url, except: [], username: 'amy', password } });
    assert.equal(server.redact('nothing to hide'), 'nothing to hide');
    stash.jobs.hold();
    stash.jobs.add(otherTask(`Scanning ${password}`, 'one'));
    const [job] = await server.jobs.queue(new Message());
    assert.equal(job?.description, 'Scanning •••');
  });

  it('that is a session cookie is masked in data', async () => {
    await open();
    const cookie = 'c00kie-canary-of-a-session';
    const origin = await RawServer.open(({ path, body }) => {
      if (path === '/login') return { status: 200, headers: { 'set-cookie': `session=${cookie}` } };
      if (!body.includes('systemStatus {')) return GOOD;
      return { ...GOOD, body: `{"data":{"systemStatus":{"status":"for ${cookie}"}}}` };
    });
    const signedIn = new TestServer(
      options(origin.url, { auth: 'session', username: 'amy', password: 'x'.repeat(9) }),
    );
    const answer = await signedIn.query();
    await signedIn.close();
    await origin.close();
    assert.deepEqual(answer, { status: 'for •••' });
  });
});
