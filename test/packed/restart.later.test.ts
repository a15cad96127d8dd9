import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../browser/eventually';
import { LIGHT, NodeRed } from '../support/node-red';
import { userDirWithPackage } from '../support/user-dir';
import { checksIn } from '../nodes/backup/backups';
import { runtime } from '../support/runtime';
import { database } from '../fake-stash/database';
import { freezeAfter } from '../fake-stash/faults';
import { FakeStash } from '../fake-stash/fake-stash';
import { otherTask } from '../fake-stash/tasks';

const PAUSE_SECONDS = 6;

describe('After a restart of Node-RED', function () {
  this.timeout(120_000);

  let stash: FakeStash;
  let userDir: string;

  beforeEach(async () => {
    stash = await FakeStash.start();
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

  /** Writes a settings file with these context stores and returns its path. */
  function settings(contextStorage: string): string {
    const file = path.join(userDir, 'settings.js');
    const light = JSON.stringify(LIGHT);
    writeFileSync(file, `module.exports = { ...require(${light}), contextStorage: ${contextStorage} };`);
    return file;
  }

  /** Runs Node-RED twice with one look-up each. Returns the seconds between the look-ups, and both logs. */
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
      'another context store',
      { default: 'memory', memory: { module: 'memory' }, disk: { module: 'localfilesystem' } },
    ],
    [
      'a context store without a memory cache',
      { default: { module: 'localfilesystem', config: { cache: false } } },
    ],
  ] as const) {
    it(`the rate limit of look-ups is kept if ${what} is persistent`, async () => {
      const { gap, log } = await twoRuns(JSON.stringify(stores));
      assert.ok(gap >= PAUSE_SECONDS, `a gap of ${gap} s`);
      assert.doesNotMatch(log, /context store .* failed|\[error\]/);
    });
  }

  it('look-ups work although the context store fails, and the log names the reason', async () => {
    const store = `{
      open: async () => {}, close: async () => {}, delete: async () => {}, clean: async () => {},
      get: (scope, key, callback) => callback(new Error('no such disk')),
      set: (scope, key, value, callback) => callback(new Error('no such disk')),
      keys: (scope, callback) => callback(null, []),
    }`;
    const { log } = await twoRuns(`{ default: { module: () => (${store}) } }`);
    assert.match(log, /\[warn\] .*The context store “default” failed, .*: Error: no such disk/);
  });
});

describe('While Node-RED is not running', function () {
  this.timeout(120_000);

  const DISK = { default: { module: 'localfilesystem' } };
  const MEMORY = { default: { module: 'memory' } };
  let stash: FakeStash;
  let userDir: string;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1', jobSeconds: 0.1 });
    userDir = await userDirWithPackage();
    const at = { z: 'tab', x: 10, y: 10 };
    const keep = "flow.set('items', [...(flow.get('items') ?? []), msg.payload.title]); return null;";
    const answer = "msg.payload = flow.get('items') ?? []; return msg;";
    const flows = [
      { id: 'tab', type: 'tab', label: '' },
      { id: 'config', type: 'stash-server', name: 'nas', url: stash.url },
      { id: 'new', type: 'stash-new', server: 'config', scenes: true, each: true, ...at, wires: [['keep']] },
      { id: 'keep', type: 'function', func: keep, outputs: 1, ...at, wires: [[]] },
      { id: 'in', type: 'http in', url: '/items', method: 'get', ...at, wires: [['answer']] },
      { id: 'answer', type: 'function', func: answer, outputs: 1, ...at, wires: [['out']] },
      { id: 'out', type: 'http response', ...at, wires: [] },
    ];
    writeFileSync(path.join(userDir, 'flows.json'), JSON.stringify(flows));
  });
  afterEach(async () => {
    await stash.stop();
    rmSync(userDir, { recursive: true, force: true });
  });

  /** Starts Node-RED, lets it report what is there, adds an item and returns all reported ones, of earlier starts as well. */
  async function run(stores: object, first: number, title: string): Promise<unknown> {
    const settings = path.join(userDir, 'settings.js');
    const light = JSON.stringify(LIGHT);
    writeFileSync(
      settings,
      `module.exports = { ...require(${light}), contextStorage: ${JSON.stringify(stores)} };`,
    );
    const { length: before } = stash.requests;
    const nodeRed = await NodeRed.start(userDir, { settings });
    try {
      const looks = () =>
        stash.requests.slice(before).filter(({ body }) => String(body?.query).includes('findScenes(')).length;
      await eventually(
        () => Promise.resolve(looks()),
        (count) => {
          assert.ok(count >= first && stash.sockets.subscribed.includes('jobsSubscribe'));
        },
      );
      stash.library.add({ path: `/media/videos/${title}.mp4`, title }, '2026-01-11T04:41:59Z');
      stash.jobs.add(otherTask('Scanning...', 'a step'));
      await eventually(
        () => nodeRed.get('items'),
        (items) => {
          assert.ok((items as string[]).includes(title));
        },
      );
      return await nodeRed.get('items');
    } finally {
      await nodeRed.stop();
    }
  }

  const add = (title: string) => {
    stash.library.add({ path: `/media/videos/${title}.mp4`, title }, '2026-01-11T04:41:59Z');
  };

  it('new items are kept if a context store is persistent, and reported once after the start', async () => {
    assert.deepEqual(await run(DISK, 2, 'one'), ['one']);
    add('two');
    assert.deepEqual(await run(DISK, 1, 'three'), ['one', 'two', 'three']);
    assert.deepEqual(await run(DISK, 1, 'four'), ['one', 'two', 'three', 'four']);
  });

  it('new items are not reported later without a persistent context store', async () => {
    assert.deepEqual(await run(MEMORY, 2, 'one'), ['one']);
    add('two');
    assert.deepEqual(await run(MEMORY, 2, 'three'), ['three']);
  });
});

describe('When Node-RED ends amid a pause', function () {
  this.timeout(120_000);

  let stash: FakeStash;
  let userDir: string;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1', jobSeconds: 0.1 });
    userDir = await userDirWithPackage();
    const at = { z: 'tab', x: 10, y: 10 };
    const flows = [
      { id: 'tab', type: 'tab', label: '' },
      { id: 'config', type: 'stash-server', name: 'nas', url: stash.url },
      { id: 'start', type: 'http in', url: '/start', method: 'get', ...at, wires: [['gen']] },
      { id: 'gen', type: 'stash-generate', server: 'config', sprites: true, ...at, wires: [['out']] },
      { id: 'pause', type: 'http in', url: '/pause', method: 'get', ...at, wires: [['paused']] },
      {
        id: 'paused',
        type: 'stash-pause',
        server: 'config',
        paused: 'true',
        pausedType: 'bool',
        ...at,
        wires: [['out']],
      },
      { id: 'out', type: 'http response', ...at, wires: [] },
    ];
    writeFileSync(path.join(userDir, 'flows.json'), JSON.stringify(flows));
    const light = JSON.stringify(LIGHT);
    const stores = '{ default: { module: "localfilesystem" } }';
    writeFileSync(
      path.join(userDir, 'settings.js'),
      `module.exports = { ...require(${light}), contextStorage: ${stores} };`,
    );
  });
  afterEach(async () => {
    await stash.stop();
    rmSync(userDir, { recursive: true, force: true });
  });

  const kept = () => {
    const [file = ''] = readdirSync(path.join(userDir, 'context', 'config'));
    const { jobs } = JSON.parse(readFileSync(path.join(userDir, 'context', 'config', file), 'utf8')) as {
      jobs: { jobs: { rootField: string }[] };
    };
    return jobs.jobs.map(({ rootField }) => rootField);
  };

  it('a warning names the job that the pause has stopped, which is kept until it is started again', async () => {
    const settings = path.join(userDir, 'settings.js');
    const nodeRed = await NodeRed.start(userDir, { settings });
    stash.jobs.hold();
    await nodeRed.get('start');
    await nodeRed.get('pause');
    await eventually(
      () => Promise.resolve(stash.jobs.queue?.[0]?.status),
      (status) => {
        assert.equal(status, 'STOPPING');
      },
    );
    stash.jobs.release();
    await eventually(
      () => Promise.resolve(stash.jobs.queue),
      (queue) => {
        assert.equal(queue, null);
      },
    );
    await nodeRed.stop();
    assert.match(nodeRed.log.join('\n'), /\[warn\] .*job 1 \(Generating\).* starts again/);
    assert.deepEqual(kept(), ['metadataGenerate']);

    // Less than a minute.
    const again = await NodeRed.start(userDir, { settings });
    await again.stop();
    assert.match(again.log.join('\n'), /\[warn\] .*job 1 \(Generating\).* starts again/);
    assert.deepEqual(kept(), ['metadataGenerate']);
    assert.equal(stash.requests.filter(({ operation }) => operation === 'metadataGenerate').length, 1);
  });
});

describe('When Node-RED ends during a backup', function () {
  this.timeout(120_000);

  let stash: FakeStash;
  let userDir: string;
  let folder: string;

  const write = (properties: object = {}) => {
    const at = { z: 'tab', x: 10, y: 10 };
    const flows = [
      { id: 'tab', type: 'tab', label: '' },
      { id: 'config', type: 'stash-server', name: 'nas', url: stash.url },
      { id: 'in', type: 'http in', url: '/back', method: 'get', ...at, wires: [['backup']] },
      {
        id: 'backup',
        type: 'stash-backup',
        server: 'config',
        download: true,
        folder,
        filename: 'night.sqlite',
        filenameType: 'str',
        overwrite: true,
        ...properties,
        ...at,
        wires: [['out']],
      },
      { id: 'out', type: 'http response', ...at, wires: [] },
    ];
    writeFileSync(path.join(userDir, 'flows.json'), JSON.stringify(flows));
  };

  beforeEach(async () => {
    stash = await FakeStash.start();
    userDir = await userDirWithPackage();
    folder = path.join(userDir, 'backups');
    mkdirSync(folder);
    write();
  });
  afterEach(async () => {
    await stash.stop();
    rmSync(userDir, { recursive: true, force: true });
  });

  it('by a kill, the previous backup stays, and the next start removes the temp file', async () => {
    writeFileSync(path.join(folder, 'night.sqlite'), 'the one before');
    stash.backups.content = database({ bytes: 4_000_000 });
    stash.answerWith(freezeAfter(3_000_000), { path: '/downloads' });
    const found = () => readFileSync(path.join(folder, 'night.sqlite'));

    const killed = await NodeRed.start(userDir, { settings: LIGHT });
    const unanswered = assert.rejects(killed.get('back'));
    await eventually(
      () => Promise.resolve(partials().map((file) => statSync(file).size)),
      ([size = 0]) => {
        assert.ok(size >= 2_000_000, `${size} bytes`);
      },
    );
    await killed.kill();
    await unanswered;
    assert.equal(found().toString(), 'the one before');
    assert.equal(partials().length, 1);

    stash.answerNormally();
    const nodeRed = await NodeRed.start(userDir, { settings: LIGHT });
    await eventually(
      () => Promise.resolve(readdirSync(folder)),
      (names) => {
        assert.deepEqual(names, ['night.sqlite']);
      },
    );
    assert.equal(found().toString(), 'the one before');
    const { checked } = (await nodeRed.get('back')) as { checked: string[] };
    await nodeRed.stop();
    assert.deepEqual(checked, ['length', 'header', 'pageCount']);
    assert.ok(found().equals(stash.backups.content));
    assert.deepEqual(readdirSync(folder), ['night.sqlite']);
  });

  // Node.js 20 has no SQLite.
  for (const end of runtime.includes('4.1') ? [] : (['stop', 'kill'] as const)) {
    it(`by a ${end} during a long quick check, the check ends, too`, async () => {
      const studios = Array.from({ length: 20_000 }, () => 'Aurora');
      stash.backups.content = database({ studios, isSlowToCheck: true });
      write({ quickCheck: true });
      const nodeRed = await NodeRed.start(userDir, { settings: LIGHT });
      const unanswered = nodeRed.get('back').catch(() => undefined);
      const checks = (count: number) =>
        eventually(
          () => Promise.resolve(checksIn(folder)),
          (found) => {
            assert.equal(found.length, count);
          },
        );
      await checks(1);
      await nodeRed[end]();
      if (end === 'stop') {
        assert.notEqual(nodeRed.exitCode, null, 'Node-RED has ended by itself');
        assert.deepEqual(readdirSync(folder), []);
      }
      await checks(0);
      await unanswered;
    });
  }

  function partials(): string[] {
    const names = readdirSync(folder).filter((name) =>
      /^\.stash-backup-[0-9a-f]{8}-\d+-[0-9a-f]{16}\.partial$/.test(name),
    );
    return names.map((name) => path.join(folder, name));
  }
});
