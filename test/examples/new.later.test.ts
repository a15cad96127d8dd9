import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { eventually } from '../browser/eventually';
import { type Example, useExamples } from '../support/example';
import { exampleNodes } from '../support/examples';
import { useUserDir } from '../support/user-dir';
import { FakeStash } from '../fake-stash/fake-stash';
import { poster } from '../fake-stash/poster';
import { otherTask } from '../fake-stash/tasks';
import { until } from '../support/waiting';

const NAME = 'New scenes on your phone, with a picture';
const TOPIC = "const TOPIC = '';";
const NTFY = "const SERVER = 'https://ntfy.sh';";

describe(`The example "${NAME}" in a real Node-RED`, () => {
  const userDir = useUserDir();
  const runExample = useExamples(userDir);
  let stash: FakeStash;
  let ntfy: Server;
  let status: number;
  let example: Example;
  /** All requests to ntfy. */
  let sent: { method: string | undefined; topic: string; query: Record<string, string>; body: Buffer }[];

  beforeEach(async () => {
    sent = [];
    status = 200;
    stash = await FakeStash.start({ release: 'v0.30.1', jobSeconds: 0.2 });
    ntfy = createServer((request, response) => {
      void buffer(request).then((body) => {
        const { pathname, searchParams } = new URL(request.url ?? '', 'http://ntfy');
        const query = Object.fromEntries(searchParams);
        sent.push({ method: request.method, topic: decodeURIComponent(pathname.slice(1)), query, body });
        response.writeHead(status, { 'Content-Type': 'application/json' }).end('{"error":"forbidden"}');
      });
    }).listen(0, '127.0.0.1');
    await once(ntfy, 'listening');
  });

  afterEach(async () => {
    await example.stop();
    await stash.stop();
    ntfy.closeAllConnections();
    ntfy.close();
  });

  it('sends each new scene with its picture and its page', async () => {
    await start('a secret');
    await followed();
    stash.library.add({ path: '/media/videos/x.mp4', title: 'Été à Zürich' }, '2026-01-11T04:41:59Z');
    stash.library.pictures.set('scene 7', null);
    stash.library.add({ path: '/media/videos/y.mp4' }, '2026-01-11T04:41:59Z');
    stash.jobs.add(otherTask('Scanning...', 'a step'));
    await arrived(2);

    const [first, second] = sent.sort(
      (one, other) => Number(one.method === 'POST') - Number(other.method === 'POST'),
    );
    assert.deepEqual(first, {
      method: 'PUT',
      topic: 'a secret',
      query: {
        title: 'Stash',
        message: 'New on nas: Été à Zürich (1 min)',
        click: `${stash.url}/scenes/6`,
        filename: 'picture.jpg',
      },
      body: poster('Été à Zürich', 6),
    });
    assert.deepEqual([second?.method, second?.body.length], ['POST', 0]);
    assert.equal(second?.query['message'], 'New on nas: y.mp4 (1 min)');
  });

  it('sends nothing anywhere until a topic is entered', async () => {
    await start('');
    await followed();
    await example.press('try it');
    stash.library.add({ path: '/media/videos/x.mp4' }, '2026-01-11T04:41:59Z');
    stash.jobs.add(otherTask('Scanning...', 'a step'));
    await until(() => stash.requests.some(({ path }) => path.includes('/screenshot')));
    assert.deepEqual(sent, []);
  });

  it('can be tried with a button, and reports what ntfy refuses', async () => {
    status = 403;
    await start('a secret');
    await example.press('try it');
    assert.equal(await example.next('not sent'), 'ntfy responds 403: forbidden');
    assert.deepEqual(
      sent.map(({ query }) => query),
      [{ title: 'Stash', message: 'A notification from Node-RED.' }],
    );
  });

  it('Tell me what is new: tells that a scan has finished, and in one sentence what it has added, and of no other job', async () => {
    example = await runExample('Tell me what is new', stash.url);
    await followed();
    for (const name of ['x', 'y']) {
      stash.library.add({ path: `/media/videos/${name}.mp4` }, '2026-01-11T04:41:59Z');
    }
    stash.jobs.add(otherTask('Generating...', 'a step'));
    stash.jobs.add(otherTask('Scanning...', 'a step'));
    const told = [await example.next('your notification'), await example.next('your notification')].sort();
    assert.match(told[0] ?? '', /^2 new scenes on nas: /);
    assert.match(told[1] ?? '', /^Job 2 \(Scanning\) on nas finished/);
  });

  async function start(topic: string): Promise<void> {
    const code = exampleNodes(NAME).find(({ type }) => type === 'function')?.['func'];
    assert.ok(typeof code === 'string' && code.includes(TOPIC) && code.includes(NTFY));
    const { port } = ntfy.address() as AddressInfo;
    const func = code
      .replace(TOPIC, `const TOPIC = '${topic}';`)
      .replace(NTFY, `const SERVER = 'http://127.0.0.1:${String(port)}';`);
    example = await runExample(NAME, stash.url, { function: { func } });
  }

  async function arrived(count: number): Promise<void> {
    await until(() => sent.length === count);
  }

  /** Waits until the node has looked for the first time, and the subscriptions to jobs and log are open. */
  async function followed(): Promise<void> {
    await eventually(
      () => {
        const looks = stash.requests.filter(({ body }) => String(body?.query).includes('findScenes('));
        return Promise.resolve([stash.sockets.subscribed.length, looks.length >= 2]);
      },
      (now) => {
        assert.deepEqual(now, [2, true]);
      },
    );
  }
});
