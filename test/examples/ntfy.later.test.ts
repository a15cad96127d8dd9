import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Example, useExamples } from '../support/example';
import { exampleNodes } from '../support/examples';
import { untilFollowed } from '../support/followed';
import { useUserDir } from '../support/user-dir';
import { FakeStash } from '../fake-stash/fake-stash';
import { otherTask } from '../fake-stash/tasks';
import { until } from '../support/waiting';

const NAME = 'Notify a phone through ntfy';

describe(`The example "${NAME}" in a real Node-RED`, () => {
  const userDir = useUserDir();
  const runExample = useExamples(userDir);
  let stash: FakeStash;
  let ntfy: Server;
  let status: number;
  let example: Example;
  /** The bodies of all requests to ntfy. */
  let sent: Record<string, unknown>[];

  beforeEach(async () => {
    sent = [];
    status = 200;
    stash = await FakeStash.start({ release: 'v0.30.1', jobSeconds: 0.5 });
    ntfy = createServer((request, response) => {
      void text(request).then((body) => {
        sent.push(JSON.parse(body) as Record<string, unknown>);
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

  it('sends nothing anywhere until a topic is entered', async () => {
    await start('');
    await example.press('try it');
    stash.jobs.add(otherTask('Cleaning...', 'Cleaning a'));
    await until(() => stash.jobs.find('1')?.status === 'FINISHED');
    assert.deepEqual(sent, []);
  });

  it('sends the sentence about each job that has ended, and about each that failed with a high priority', async () => {
    await start('a secret');
    await untilFollowed(stash);
    stash.jobs.add(otherTask('Cleaning...', 'Cleaning a'));
    await arrived(1);
    stash.jobs.failure = 'disk full';
    stash.jobs.add(otherTask('Scanning...', 'Scanning'));
    await arrived(2);
    const [first, second] = sent.map(({ message, ...others }) => ({ others, message: String(message) }));
    assert.match(first?.message ?? '', /^Job 1 \(Cleaning\) on nas finished/);
    assert.match(second?.message ?? '', /^Job 2 \(Scanning\) on nas failed.*disk full/);
    const usual = { topic: 'a secret', title: 'Stash' };
    assert.deepEqual(first?.others, { ...usual, priority: 3, tags: ['white_check_mark'] });
    assert.deepEqual(second?.others, { ...usual, priority: 4, tags: ['warning'] });
  });

  it('sends problems of the connection, too, with the node and the server', async () => {
    stash.apiKey = 'another';
    await start('a secret');
    await arrived(1);
    assert.match(String(sent[0]?.['message']), /^“stash jobs” on nas failed\. Stash requires a sign-in\./);
    assert.deepEqual([sent[0]?.['title'], sent[0]?.['priority']], ['Stash', 4]);
  });

  it('can be tried with a button, and reports what ntfy refuses', async () => {
    status = 403;
    await start('a secret');
    await example.press('try it');
    assert.equal(await example.next('not sent'), 'ntfy responds 403: forbidden');
    assert.deepEqual(sent, [
      {
        topic: 'a secret',
        title: 'Stash',
        message: 'A notification from Node-RED.',
        priority: 3,
        tags: ['white_check_mark'],
      },
    ]);
  });

  it('reports that ntfy cannot be reached', async () => {
    await start('a secret');
    ntfy.close();
    await example.press('try it');
    assert.match(await example.next('not sent'), /ECONNREFUSED/);
  });

  async function start(topic: string): Promise<void> {
    const code = exampleNodes(NAME).find(({ type }) => type === 'function')?.['func'];
    assert.ok(typeof code === 'string' && code.includes("const TOPIC = '';"));
    const { port } = ntfy.address() as AddressInfo;
    example = await runExample(NAME, stash.url, {
      function: { func: code.replace("const TOPIC = '';", `const TOPIC = '${topic}';`) },
      'http request': { url: `http://127.0.0.1:${String(port)}/` },
    });
  }

  async function arrived(count: number): Promise<void> {
    await until(() => sent.length === count);
  }
});
