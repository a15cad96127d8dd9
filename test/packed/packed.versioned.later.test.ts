import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { WebSocket } from 'undici';
import { NodeRed } from '../support/node-red';
import { useUserDir } from '../support/user-dir';
import { names } from '../support/nodes';
import { STUDIOS } from '../fake-stash/library';
import { PERFORMERS } from '../fake-stash/performers';
import { FakeStash } from '../fake-stash/fake-stash';
import { isRecord } from '../fake-stash/variables';
import { words } from '../support/words';

const PACKAGE = '@stash-flows/node-red-stash';
const KEY = 'eyJhbGciOiJIUzI1NiJ9.c2VjcmV0LWtleQ.s3cr3t';
const WRONG_KEY = 'eyJhbGciOiJIUzI1NiJ9.b2xkLWtleQ.0utd4t3d';

/** The response of a test flow: the message that the node sent, or that the Catch node received. */
interface Answer {
  output?: number;
  payload?: unknown;
  stash: { summary: string; error?: { code: string; remedy: string } };
  error?: { message: string; code: string; source: { id: string } };
}

/** A stash node whose flow responds to `GET /ask/<route>`. The id of the node is the name of the route. */
interface Route {
  type: string;
  server?: string;
  [property: string]: unknown;
}

const routes: Record<string, Route> = {
  scan: { type: 'stash-scan' },
  generate: { type: 'stash-generate', sprites: true },
  backup: { type: 'stash-backup', download: false },
  // Its progress messages are not a response.
  fetched: { type: 'stash-backup', download: true, folderType: 'message', wires: [['shape-first'], []] },
  studios: { type: 'stash-studios', fields: ['name'] },
  search: { type: 'stash-performer-search', query: 'payload.name', queryType: 'msg' },
  scrape: { type: 'stash-performer-scrape', performer: 'payload.name', performerType: 'msg' },
  status: { type: 'stash-status', fields: ['status', 'version'] },
  paths: { type: 'stash-status', fields: ['configPath'] },
  nameless: { type: 'stash-studios', server: 'server-nameless' },
  unreachable: { type: 'stash-studios', server: 'server-gone' },
  refused: { type: 'stash-studios', server: 'server-wrong-key' },
  orphan: { type: 'stash-studios', server: '' },
};

describe('The packed package in a real Node-RED', () => {
  const userDir = useUserDir();
  let stash: FakeStash;
  let gone: string;
  let nodeRed: Answering;

  before(async () => {
    gone = await addressOfNobody();
  });

  const running: { stop: () => Promise<void> }[] = [];

  async function start(): Promise<void> {
    stash = await FakeStash.start({ apiKey: KEY });
    running.push(stash);
    writeFileSync(path.join(userDir(), 'flows.json'), JSON.stringify(flows({ stash: stash.url, gone })));
    writeFileSync(path.join(userDir(), 'flows_cred.json'), JSON.stringify(credentials));
    nodeRed = await Answering.start(userDir(), { environment: { STASH_URL: stash.url, STASH_KEY: KEY } });
    running.push(nodeRed);
  }

  async function stop(): Promise<void> {
    for (const one of running.splice(0).reverse()) await one.stop();
  }

  describe('while it runs', () => {
    before(start);
    after(stop);

    afterEach(() => {
      stash.studios = STUDIOS;
      stash.site.performers = PERFORMERS;
      stash.site.failure = undefined;
      stash.site.delay = 5;
    });

    it('runs its code in strict mode, as the tests of its parts do', () => {
      const runtime = path.join(userDir(), 'node_modules', PACKAGE, 'dist', 'package', 'runtime.js');
      assert.match(readFileSync(runtime, 'utf8'), /^"use strict";/);
    });

    it('loads all its nodes without an error, and warns only of the one that has no server', async () => {
      const sets = (await nodeRed.get('nodes')) as {
        module: string;
        types: string[];
        [more: string]: unknown;
      }[];
      const ours = sets.filter(({ module }) => module === PACKAGE);
      for (const set of ours)
        assert.deepEqual([set['enabled'], set['err']], [true, undefined], set.types.join());
      assert.deepEqual(
        ours.flatMap(({ types }) => types).sort(),
        names.map((name) => `stash-${name}`).sort(),
      );
      const ordered = /Projects disabled|Using unencrypted credentials/; // caused by the settings of these tests
      const warnings = nodeRed.log.filter(
        (line) => /\[(warn|error|fatal)\]/.test(line) && !ordered.test(line),
      );
      assert.equal(warnings.length, 1, warnings.join('\n'));
      assert.match(warnings[0] ?? '', /\[stash-studios:orphan\] No Stash server is selected/);
      assert.equal(nodeRed.complaints, '');
    });

    describe('says in msg.stash.summary', () => {
      it('that a scan has started', async () => {
        const { payload, stash } = await nodeRed.ask('scan');
        assert.ok(isRecord(payload));
        assert.equal(stash.summary, `Scan on nas started (job ${String(payload['id'])}).`);
      });

      it('that a backup was made or downloaded', async () => {
        const made = await nodeRed.ask('backup');
        assert.match(
          made.stash.summary,
          /^nas backed up its database to its own disk \(([\d.]+ s, )?not verified\)\.$/,
        );
        const { stash } = await nodeRed.ask('fetched');
        assert.match(
          stash.summary,
          /^Database of nas backed up to the message \(\d+ KiB, ([\d.]+ s, )?verified\)\.$/,
        );
      });

      it('that there are six studios, one or none', async () => {
        for (const [count, form] of [
          [6, 'other'],
          [1, 'one'],
          [0, 'zero'],
        ] as const) {
          stash.studios = STUDIOS.slice(0, count);
          const { payload, stash: about } = await nodeRed.ask('studios');
          assert.deepEqual(
            payload,
            stash.studios.map(({ name }) => ({ name })),
          );
          assert.equal(about.summary, words('studios', `summary.listed_${form}`, { server: 'nas', count }));
        }
        assert.equal(
          words('studios', 'summary.listed_one', { server: 'nas', count: 1 }),
          'nas has 1 studio.',
        );
      });

      it('whether a performer was found', async () => {
        const [robin] = PERFORMERS;
        assert.ok(robin);
        stash.site.performers = [...PERFORMERS, { ...robin, name: 'AMARA OSEI' }];
        for (const [performer, output, key, count] of [
          ['Robin Vale', 1, 'found'],
          ['Robin', 2, 'NOT_FOUND_other', 2],
          ['Juniper', 2, 'NOT_FOUND_one', 1],
          ['Nobody', 2, 'noMatch', 0],
          ['Amara Osei', 2, 'AMBIGUOUS_other', 2],
        ] as const) {
          const answer = await nodeRed.ask('scrape', performer);
          assert.equal(answer.output, output, performer);
          assert.equal(
            answer.stash.summary,
            words('performer-scrape', `summary.${key}`, { performer, count, details: '' }),
          );
        }
      });

      it('the name of the found performer as the list spells it', async () => {
        const { stash } = await nodeRed.ask('scrape', 'ROBIN vale');
        assert.equal(
          stash.summary,
          words('performer-scrape', 'summary.found', { performer: 'Robin Vale', details: '' }),
        );
      });

      it('the status, or that the server responds', async () => {
        const answer = await nodeRed.ask('status');
        assert.equal(answer.stash.summary, 'nas reports status OK (Stash v0.30.1).');
        const { payload, stash } = await nodeRed.ask('paths');
        assert.deepEqual(payload, { configPath: '/config/config.yml' });
        assert.equal(stash.summary, 'nas responds.');
      });

      it('the name of the server, or its host', async () => {
        const { stash: about } = await nodeRed.ask('nameless');
        const server = new URL(stash.url).host;
        assert.equal(about.summary, words('studios', 'summary.listed_other', { server, count: 6 }));
      });

      it('the query, unescaped', async () => {
        const query = `O'Neill & "Söhne" <b>/</b> $& $t(status.busy) __count__ {{count}}`;
        const { stash } = await nodeRed.ask('search', query);
        assert.ok(stash.summary.includes(query), stash.summary);
      });
    });

    describe('reports the error and its remedy', () => {
      it('if nothing listens at the address', async () => {
        await fails('unreachable', 'UNREACHABLE.refusedHere', { url: `${gone}/behind/a/proxy` });
      });

      it('if the name is empty', async () => {
        await fails('search', 'BAD_INPUT.empty', {
          property: words('performer-search', 'field.query'),
          source: 'msg.payload.name',
        });
      });

      it('if the server reports an error, with its text', async () => {
        stash.site.failure = `http error 404:Not Found "<a href='/why'>" & $t(status.busy) {{url}}`;
        const { error } = await fails(
          'search',
          'GRAPHQL.failed',
          { text: serverError(stash, 'Robin') },
          'Robin',
        );
        assert.ok(error?.message.includes('/search?q=Robin'), 'slashes stay as they are');
      });

      /** Checks that a node ends with an error case, in its words. */
      async function fails(route: string, which: string, values = {}, name = ''): Promise<Answer> {
        const answer = await nodeRed.ask(route, name);
        const remedy = words('server', `errors.${which}.remedy`, values);
        const message = `${words('server', `errors.${which}.text`, values)} ${remedy}`;
        const code = which.replace(/\..*/, '');
        assert.ok(answer.error);
        assert.deepEqual(
          [answer.error.message, answer.error.code, answer.error.source.id],
          [message, code, route],
        );
        assert.ok(answer.stash.summary.endsWith(` failed. ${message}`), answer.stash.summary);
        assert.deepEqual([answer.stash.error?.code, answer.stash.error?.remedy], [code, remedy]);
        assert.doesNotMatch(message, /Error:|__|\berrors\.|&(#|\w+;)/);
        return answer;
      }
    });

    it('shows the result of the last message under each node', async () => {
      const shown = await nodeRed.statuses();
      try {
        stash.studios = STUDIOS.slice(0, 1);
        await Promise.all([nodeRed.ask('studios'), nodeRed.ask('fetched')]);
        await shown.is('studios', words('studios', 'status.listed_one', { count: 1 }), 'green');
        await shown.is('fetched', words('backup', 'status.inMessage'), 'green');
        stash.studios = STUDIOS;
        await nodeRed.ask('scan');
        await nodeRed.ask('studios');
        await nodeRed.ask('search', 'Robin');
        await nodeRed.ask('scrape', 'Robin');
        await nodeRed.ask('status');
        await Promise.all(['unreachable', 'refused', 'orphan'].map((route) => nodeRed.ask(route)));

        await shown.is('studios', '6 studios', 'green');
        await shown.is('scan', /^done/, 'green');
        await shown.is('search', words('performer-search', 'status.found_other', { count: 2 }), 'green');
        await shown.is('scrape', words('performer-scrape', 'status.NOT_FOUND'), 'yellow');
        await shown.is('status', 'OK', 'green');
        await shown.is('unreachable', words('server', 'errors.UNREACHABLE.label'), 'red');
        await shown.is('refused', words('server', 'errors.UNAUTHORIZED.label'), 'red');
        await shown.is('orphan', words('server', 'errors.NO_SERVER.label'), 'red');
      } finally {
        shown.close();
      }
    });

    // These tests come last because they check all responses and log lines so far.
    describe('has an API key', () => {
      it('which comes from the environment, like the address', async () => {
        stash.requests.splice(0);
        await nodeRed.ask('studios');
        const listed = stash.requests.filter(({ operation }) => operation === 'allStudios');
        assert.deepEqual(
          listed.map(({ headers }) => headers['apikey']),
          [KEY],
        );
      });

      it('which the editor does not receive', async () => {
        const saved = JSON.stringify(await nodeRed.get('flows'));
        assert.ok(saved.includes('${STASH_URL}') && saved.includes(stash.url));
        for (const id of Object.keys(credentials)) {
          assert.deepEqual(await nodeRed.get(`credentials/stash-server/${id}`), {
            has_apiKey: true,
            has_headers: false,
            has_password: false,
            username: '',
          });
        }
      });

      it('which is in no response and no log', async () => {
        stash.site.failure = `the header was "ApiKey: ${KEY}"`;
        const { error } = await nodeRed.ask('search', 'Robin');
        assert.equal(error?.code, 'GRAPHQL');
        for (const key of [KEY, WRONG_KEY]) {
          assert.ok(
            ![...nodeRed.answers, ...nodeRed.log, nodeRed.complaints].some((text) => text.includes(key)),
          );
        }
      });
    });
  });

  describe('when Node-RED stops before a response', () => {
    let milliseconds: number;

    before(async () => {
      await start();
      for (const route of ['scan', 'generate', 'backup', 'studios', 'status']) await nodeRed.ask(route);
      for (const route of ['search', 'scrape']) await nodeRed.ask(route, 'Robin Vale');
      const received = new Promise<void>((resolve) => {
        stash.answerWith(() => {
          resolve();
        });
      });
      void nodeRed.ask('studios').catch(() => undefined);
      await received;
      const began = performance.now();
      await nodeRed.stop();
      milliseconds = performance.now() - began;
    });

    after(stop);

    it('ends at once', () => {
      assert.equal(nodeRed.exitCode, 0);
      assert.ok(milliseconds < 2000, `${Math.round(milliseconds)} ms`);
    });

    it('logs nothing between start and stop', () => {
      const from = nodeRed.log.findIndex((line) => line.includes('Started flows'));
      const to = nodeRed.log.findIndex((line) => line.includes('Stopping flows'));
      assert.ok(from >= 0 && to > from, nodeRed.log.join('\n'));
      assert.deepEqual(nodeRed.log.slice(from + 1, to), []);
    });
  });
});

/** A Node-RED whose flows respond to requests of the test. */
class Answering extends NodeRed {
  /** Sends a message with `{ name }` as its payload to the stash node of a route. */
  async ask(route: string, name = ''): Promise<Answer> {
    return (await this.get(`ask/${route}?name=${encodeURIComponent(name)}`)) as Answer;
  }

  /** Watches the statuses of all nodes as the editor does. */
  async statuses(): Promise<Statuses> {
    return await Statuses.open(this.url.replace('http:', 'ws:'));
  }
}

/** The statuses of the nodes, from the WebSocket that also informs the editor. */
class Statuses {
  readonly #socket: WebSocket;
  readonly #shown = new Map<string, { text?: string; fill?: string }>();
  readonly #changes = new EventEmitter();

  private constructor(url: string) {
    this.#socket = new WebSocket(`${url}/comms`);
    this.#socket.addEventListener('message', ({ data }) => {
      const updates = JSON.parse(String(data)) as { topic: string; data: { text?: string; fill?: string } }[];
      for (const { topic, data } of updates) this.#shown.set(topic.replace('status/', ''), data);
      this.#changes.emit('change');
    });
  }

  static async open(url: string): Promise<Statuses> {
    const statuses = new Statuses(url);
    await once(statuses.#socket, 'open');
    statuses.#socket.send(JSON.stringify({ subscribe: 'status/#' }));
    return statuses;
  }

  /** Waits until a node shows a status. It changes at most once a second, so that may take a moment. */
  async is(id: string, text: string | RegExp, fill: string): Promise<void> {
    const signal = AbortSignal.timeout(3000);
    const matches = () => {
      const { text: now = '', fill: color } = this.#shown.get(id) ?? {};
      return color === fill && (typeof text === 'string' ? now === text : text.test(now));
    };
    while (!matches() && !signal.aborted) {
      await once(this.#changes, 'change', { signal }).catch(() => undefined);
    }
    const { text: shownText, fill: shownFill } = this.#shown.get(id) ?? {};
    assert.ok(matches(), `${id} shows ${String(shownText)} (${String(shownFill)})`);
    assert.ok(String(shownText).length <= 20, shownText);
  }

  close(): void {
    this.#socket.close();
  }
}

/** The content of the credentials file. These tests encrypt nothing. */
const credentials = {
  'server-nas': { apiKey: '${STASH_KEY}' },
  'server-nameless': { apiKey: KEY },
  'server-wrong-key': { apiKey: WRONG_KEY },
};

/** Complete nodes as an export contains them: Node-RED treats a node without a position as a config node. */
function flows({ stash, gone }: { stash: string; gone: string }): object[] {
  const at = { z: 'tab', x: 10, y: 10 };
  const server = { type: 'stash-server', auth: 'apiKey', pause: '0' };
  const shape = (id: string, payload: string) => [
    {
      id,
      type: 'function',
      outputs: 1,
      func: `msg.payload = { ${payload} }; return msg;`,
      ...at,
      wires: [['answer']],
    },
  ];
  return [
    { id: 'tab', type: 'tab', label: '' },
    { id: 'server-nas', ...server, name: 'nas', url: '${STASH_URL}' },
    { id: 'server-nameless', ...server, name: '', url: stash },
    { id: 'server-wrong-key', ...server, name: 'locked', url: `${stash}/` },
    { id: 'server-gone', ...server, name: 'gone', url: `${gone}/behind/a/proxy`, auth: 'none' },
    ...Object.entries(routes).flatMap(([id, node]) => [
      { id: `${id}-in`, type: 'http in', url: `/ask/${id}`, method: 'get', ...at, wires: [[id]] },
      { id, server: 'server-nas', ...at, wires: [['shape-first'], ['shape-second']], ...node },
    ]),
    ...shape('shape-first', 'output: 1, payload: msg.payload, stash: msg.stash'),
    ...shape('shape-second', 'output: 2, payload: msg.payload, stash: msg.stash'),
    { id: 'caught', type: 'catch', scope: null, uncaught: false, ...at, wires: [['shape-error']] },
    ...shape('shape-error', 'error: msg.error, stash: msg.stash'),
    { id: 'answer', type: 'http response', statusCode: '', headers: {}, ...at, wires: [] },
  ];
}

/** Returns an address where a server has stopped. */
async function addressOfNobody(): Promise<string> {
  const somebody = await FakeStash.start();
  const { url } = somebody;
  await somebody.stop();
  return url;
}

/** Returns the server's error text when its site fails. */
function serverError({ site }: FakeStash, query: string): string {
  const address = `https://performers.example/search?q=${query}`;
  return `error while name scraping with scraper builtin_site: failed to load URL "${address}": ${site.failure ?? ''}`;
}
