import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { NodeRed, userDirWithPackage } from './node-red';
import { root } from './runtime';
import { StandIn } from './stand-in/stand-in';

const PAUSE_SECONDS = 6;

describe('When Node-RED is stopped and started', function () {
  this.timeout(120_000);

  let stash: StandIn;
  let userDir: string;

  beforeEach(async () => {
    stash = await StandIn.start();
    userDir = await userDirWithPackage();
    const server = { id: 'config', type: 'stash-server', name: 'nas', url: stash.url, pause: PAUSE_SECONDS };
    const at = { z: 'tab', x: 10, y: 10 };
    const flows = [
      { id: 'tab', type: 'tab', label: '' },
      server,
      { id: 'in', type: 'http in', url: '/ask', method: 'get', ...at, wires: [['search']] },
      {
        id: 'search',
        type: 'stash-performer-search',
        server: 'config',
        query: 'payload.name',
        queryType: 'msg',
        ...at,
        wires: [['out']],
      },
      { id: 'caught', type: 'catch', scope: null, ...at, wires: [['out']] },
      { id: 'out', type: 'http response', ...at, wires: [] },
    ];
    writeFileSync(path.join(userDir, 'flows.json'), JSON.stringify(flows));
  });
  afterEach(async () => {
    await stash.stop();
    rmSync(userDir, { recursive: true, force: true });
  });

  /** Settings with these context stores, as they stand in the file. */
  function settings(contextStorage: string): string {
    const file = path.join(userDir, 'settings.js');
    const common = JSON.stringify(path.join(root, 'test', 'node-red-settings.js'));
    writeFileSync(file, `module.exports = { ...require(${common}), contextStorage: ${contextStorage} };`);
    return file;
  }

  /** One look-up in each of two runs; gives the seconds between them, and the log of both. */
  async function twoRuns(contextStorage: string): Promise<{ gap: number; log: string }> {
    let log = '';
    for (const name of ['Hana', 'Robin']) {
      const nodeRed = await NodeRed.start(userDir, { settings: settings(contextStorage) });
      assert.ok(Array.isArray(await nodeRed.get(`ask?name=${name}`)));
      await nodeRed.stop();
      log += nodeRed.log.join('\n') + nodeRed.complaints;
    }
    const [first, second] = stash.site.calls;
    assert.ok(first && second);
    return { gap: (second.startedAt - first.endedAt) / 1000, log };
  }

  for (const [what, stores] of [
    ['the default context store', { default: { module: 'localfilesystem' } }],
    [
      'another than the default one',
      { default: 'memory', memory: { module: 'memory' }, disk: { module: 'localfilesystem' } },
    ],
    [
      'one that keeps nothing in memory',
      { default: { module: 'localfilesystem', config: { cache: false } } },
    ],
  ] as const) {
    it(`the pace of look-ups goes on where ${what} is persistent`, async () => {
      const { gap, log } = await twoRuns(JSON.stringify(stores));
      assert.ok(gap >= PAUSE_SECONDS, `a gap of ${gap} s`);
      assert.doesNotMatch(log, /context store .* failed|\[error\]/);
    });
  }

  it('look-ups go on all the same where the persistent context store fails, and the log tells why', async () => {
    const store = `{
      open: async () => {}, close: async () => {}, delete: async () => {}, clean: async () => {},
      get: (scope, key, callback) => callback(new Error('no such disk')),
      set: (scope, key, value, callback) => callback(new Error('no such disk')),
      keys: (scope, callback) => callback(null, []),
    }`;
    const { log } = await twoRuns(`{ default: { module: () => (${store}) } }`);
    assert.match(log, /\[warn\] .*The context store "default" failed, .*: Error: no such disk/);
  });
});
