import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../browser/eventually';
import { credentials, released } from '../contract/released';
import { FakeStash } from '../fake-stash/fake-stash';
import { ForwardProxy } from '../support/forward-proxy';
import { LIGHT, NodeRed } from '../support/node-red';
import { npm } from '../support/npm';
import { root } from '../support/root';
import { useUserDir } from '../support/user-dir';

const PACKAGE = '@stash-flows/node-red-stash';
const NEXT = '0.999.0';
const KEY = 'a-key-of-more-than-sixteen-characters';

/** The nodes of the released flow that are asked, and what each is sent. Their answers are the same each time. */
const asked: Readonly<Record<string, object>> = {
  scan: {},
  generate: {},
  plugin: {},
  studios: {},
  'query-with-variables': { payload: '1', topic: 'b' },
  'find-performers': {},
  update: { topic: 'Boats' },
  scrape: {},
  status: {},
  backup: {},
};

describe('An update to the next version of the package', function () {
  this.timeout(120_000);

  const userDir = useUserDir();
  const running: { stop: () => Promise<void> }[] = [];
  let stash: FakeStash;
  let nodeRed: NodeRed;

  before(async () => {
    const modules = path.join(userDir(), 'node_modules');
    const shared = realpathSync(modules);
    rmSync(modules);
    cpSync(shared, modules, { recursive: true });
    const light = JSON.stringify(LIGHT);
    const own = `credentialSecret: 'of these tests', contextStorage: { default: { module: 'localfilesystem' } }`;
    writeFileSync(path.join(userDir(), 'settings.js'), `module.exports = { ...require(${light}), ${own} };`);
    const account = { username: 'robin', password: 'vale' };
    const options = { release: 'v0.31.0', jobSeconds: 0.1, apiKey: KEY, credentials: account } as const;
    stash = await FakeStash.start(options);
    running.push(stash);
  });
  after(async () => {
    for (const one of running.reverse()) await one.stop();
  });

  it('keeps flow file, credentials, context and position, and every node answers as before', async () => {
    const proxy = await ForwardProxy.start();
    running.push(proxy);
    const BACKUP_FOLDER = path.join(userDir(), 'backups');
    mkdirSync(BACKUP_FOLDER);
    const environment = { STASH_URL: stash.url, STASH_KEY: KEY, PROXY_URL: proxy.url, BACKUP_FOLDER };
    const start = async () => {
      nodeRed = await NodeRed.start(userDir(), { environment, settings: file('settings.js') });
      running.push(nodeRed);
    };

    await start();
    await deploy();
    await nodeRed.get('remember');
    await eventually(
      () => Promise.resolve(stash.requests.map(({ operation }) => operation)),
      (operations) => {
        assert.ok(operations.includes('findGalleries'), 'the position of new items is known');
      },
    );
    const before = await answers();
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    assert.deepEqual(await versions(), [version]);
    await nodeRed.stop();
    const [flows, secrets] = ['flows.json', 'flows_cred.json'].map(read);
    assert.ok(secrets?.startsWith('{"$":'), 'credentials are encrypted');

    await installNext();
    stash.library.add({ path: '/media/videos/new.jpg' }, '2026-01-11T04:41:59Z');
    await start();
    assert.deepEqual(await versions(), [NEXT]);
    await eventually(
      () => nodeRed.get('items'),
      (items) => {
        assert.deepEqual(items, ['/media/videos/new.jpg']);
      },
    );
    const now = await answers();
    assert.deepEqual(now, before);
    const { payload } = now['query-with-variables'] as { payload: Record<string, unknown> };
    assert.deepEqual(
      [payload['msg'], payload['flow'], payload['global']],
      [{ id: '1' }, { id: '2' }, { id: '3' }],
    );
    assert.ok(proxy.requests.length > 0);
    await nodeRed.stop();
    assert.deepEqual(['flows.json', 'flows_cred.json'].map(read), [flows, secrets]);
    assert.deepEqual(
      nodeRed.log.filter((line) => /\[(warn|error|fatal)\] (?!Projects disabled)/.test(line)),
      [],
    );
    assert.equal(nodeRed.complaints, '');
  });

  const file = (name: string) => path.join(userDir(), name);
  const read = (name: string) => readFileSync(file(name), 'utf8');

  /** Deploys the released flow as the editor does, with an end at each node that is asked. */
  async function deploy(): Promise<void> {
    const at = { z: 'tab', x: 500, y: 100 };
    const route = (id: string, func: string, to: string) => [
      { id: `in-${id}`, type: 'http in', url: `/${id}`, method: 'get', ...at, wires: [[`to-${id}`]] },
      { id: `to-${id}`, type: 'function', func, outputs: 1, ...at, wires: [[to]] },
    ];
    const remember = "flow.set('chosen', '2'); global.set('chosen', '3'); return msg;";
    const items = "msg.payload = flow.get('items') ?? []; return msg;";
    const keep = "flow.set('items', msg.payload.flatMap(({ paths }) => paths));";
    const shape =
      'msg.payload = { payload: msg.payload, reason: msg.stash?.reason, error: msg.error }; return msg;';
    const flows = [
      ...released.map((node) => ({
        ...node,
        ...(node.id in asked && { wires: [['shape'], []].slice(0, (node['wires'] as []).length) }),
        ...(node.id === 'new' && { wires: [['keep']] }),
        credentials: credentials[node.id],
      })),
      ...Object.entries(asked).flatMap(([id, msg]) =>
        route(id, `return Object.assign(msg, ${JSON.stringify(msg)});`, id),
      ),
      ...route('remember', remember, 'out'),
      ...route('items', items, 'out'),
      { id: 'keep', type: 'function', func: keep, outputs: 0, ...at, wires: [] },
      { id: 'catch', type: 'catch', scope: null, ...at, wires: [['shape']] },
      { id: 'shape', type: 'function', func: shape, outputs: 1, ...at, wires: [['out']] },
      { id: 'out', type: 'http response', ...at, wires: [] },
    ];
    const body = JSON.stringify(flows);
    const headers = { 'Content-Type': 'application/json', 'Node-RED-Deployment-Type': 'full' };
    const response = await fetch(`${nodeRed.url}/flows`, { method: 'POST', headers, body });
    assert.equal(response.status, 204, await response.text());
    // Node-RED responds before the nodes run.
    await eventually(
      () => Promise.resolve(nodeRed.log.filter((line) => line.includes('Started flows'))),
      (starts) => {
        assert.equal(starts.length, 2);
      },
    );
  }

  /** Returns what each node answers; of a job only how it ended. */
  async function answers(): Promise<Record<string, unknown>> {
    const all: Record<string, unknown> = {};
    for (const id of Object.keys(asked)) {
      const answer = (await nodeRed.get(id)) as { payload: Record<string, unknown>; error?: object };
      const { payload, error } = answer;
      assert.equal(error, undefined, id);
      all[id] = 'start' in payload ? payload['status'] : { ...answer, payload: { ...payload, seconds: 0 } };
    }
    return all;
  }

  /** Returns the versions of the package whose nodes Node-RED has loaded without an error. */
  async function versions(): Promise<string[]> {
    const sets = (await nodeRed.get('nodes')) as { module: string; version: string; err?: string }[];
    const ours = sets.filter(({ module }) => module === PACKAGE);
    assert.deepEqual(
      ours.filter(({ err }) => err !== undefined),
      [],
    );
    return [...new Set(ours.map(({ version }) => version))];
  }

  /** Packs the installed files as the next version, and installs that as the palette manager does. */
  async function installNext(): Promise<void> {
    const next = file('next');
    cpSync(file(path.join('node_modules', PACKAGE)), next, { recursive: true });
    const manifest = path.join(next, 'package.json');
    const current = JSON.parse(readFileSync(manifest, 'utf8')) as object;
    writeFileSync(manifest, JSON.stringify({ ...current, version: NEXT }));
    await npm(next, 'pack');
    const tarball = path.join(next, `stash-flows-node-red-stash-${NEXT}.tgz`);
    await npm(userDir(), 'install', tarball, '--no-audit', '--no-fund', '--prefer-offline');
  }
});
