import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readFrozen } from './frozen';
import { credentials, released, setEnvironment } from './released';
import { load, type Message } from '../support/flow';
import { ForwardProxy } from '../support/forward-proxy';
import { helper } from '../support/runtime';
import { hasten, TEMPO } from '../support/tempo';
import { until } from '../support/waiting';
import { json } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { otherTask } from '../fake-stash/tasks';
import type { JobRecord } from '../../src/records';

const KEY = 'a-key-of-more-than-sixteen-characters';

/** The kinds and options of the nodes that generate. */
const GENERATED = {
  ...{ sprites: true, previews: true, imagePreviews: true, markers: true, transcodes: true, covers: true },
  ...{ phashes: true, interactiveHeatmapsSpeeds: true, imageThumbnails: true, clipPreviews: true },
  imagePhashes: true,
  ...{ overwrite: true, forceTranscodes: true, markerImagePreviews: true, markerScreenshots: true },
};

describe('A flow that this release has saved', () => {
  hasten();
  let stash: FakeStash;
  let proxy: ForwardProxy;
  let folder: string;
  let unset: () => void;
  /** The messages that left the nodes, and those that Catch nodes received. */
  let sent: { node: string; output: number; msg: Message }[];
  let caught: Message[];

  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'node-red-stash-')));
    const account = { username: 'robin', password: 'vale' };
    const options = { tempo: TEMPO, release: 'v0.31.0', jobSeconds: 0.2 * TEMPO } as const;
    stash = await FakeStash.start({ ...options, apiKey: KEY, credentials: account });
    proxy = await ForwardProxy.start();
    const environment = { STASH_URL: stash.url, STASH_KEY: KEY, PROXY_URL: proxy.url };
    unset = setEnvironment({ ...environment, BACKUP_FOLDER: folder });
    [sent, caught] = [[], []];
    await deploy();
  });
  afterEach(async () => {
    await helper.unload();
    await stash.stop();
    await proxy.stop();
    unset();
    rmSync(folder, { recursive: true });
  });

  /** Deploys the flow as it is, but for the nodes that its wires lead to. */
  async function deploy(): Promise<void> {
    const ends = released.flatMap(({ id, wires }) =>
      ((wires ?? []) as unknown[]).map((_, index) => ({
        node: id,
        output: index + 1,
        id: `${id} ${index + 1}`,
      })),
    );
    const at = { z: 'tab', x: 500, y: 100 };
    await load(
      [
        ...released.map((node) => ({
          ...node,
          ...('wires' in node && { wires: ends.filter((end) => end.node === node.id).map(({ id }) => [id]) }),
        })),
        ...ends.map(({ id }) => ({ id, type: 'helper', ...at, wires: [] })),
        { id: 'catch', type: 'catch', scope: null, ...at, wires: [['caught']] },
        { id: 'caught', type: 'helper', ...at, wires: [] },
      ],
      credentials,
    );
    for (const { id, node, output } of ends) {
      helper.getNode(id).on('input', (msg) => sent.push({ node, output, msg }));
    }
    helper.getNode('caught').on('input', (msg) => caught.push(msg));
  }

  /** Sends a message to a node, and returns the first that leaves its first output. */
  async function ask(node: string, msg: object = {}): Promise<Message> {
    const before = resultsOf(node).length;
    helper.getNode(node).receive({ ...msg, _msgid: node });
    await until(() => resultsOf(node).length > before || caught.length > 0);
    assert.deepEqual(
      caught.map(({ error }) => error?.message),
      [],
    );
    return resultsOf(node)[before] as Message;
  }

  const resultsOf = (id: string) =>
    sent.flatMap(({ node, output, msg }) => (node === id && output === 1 ? [msg] : []));
  /** Returns the variables of the requests with this root field. */
  const variables = (field: string) =>
    stash.requests.flatMap(({ operation, body }) => (operation === field ? [body?.variables ?? {}] : []));
  const statusOf = ({ payload }: Message) => (payload as JobRecord).status;

  it('has every node with every property', () => {
    const frozen = readFrozen('flow-file.json') as Record<string, { properties: object }>;
    const own = released.filter(({ type }) => type.startsWith('stash-'));
    assert.deepEqual([...new Set(own.map(({ type }) => type))].sort(), Object.keys(frozen).sort());
    for (const { id, type, ...node } of own) {
      const ofEditor = type === 'stash-server' ? [] : ['z', 'x', 'y', 'wires'];
      const expected = [...Object.keys(frozen[type]?.properties ?? {}), ...ofEditor];
      assert.deepEqual(Object.keys(node).sort(), expected.sort(), id);
    }
  });

  it('scans the folder with all options, and reports what is new', async () => {
    const msg = await ask('scan');

    const { filter, ...input } = variables('metadataScan')[0]?.['input'] as { filter: object };
    assert.deepEqual(filter, { minModTime: '2026-01-01T00:00:00.000Z' });
    assert.deepEqual(input, {
      paths: ['/media/videos/Lanterna'],
      ...{
        rescan: true,
        scanGenerateCovers: true,
        scanGeneratePreviews: true,
        scanGenerateImagePreviews: true,
      },
      ...{ scanGenerateSprites: true, scanGeneratePhashes: true, scanGenerateThumbnails: true },
      ...{ scanGenerateClipPreviews: true, scanGenerateImagePhashes: true },
    });
    assert.equal(statusOf(msg), 'FINISHED');
    assert.ok('new' in (msg.payload as object));
    assert.deepEqual(msg.stash?.['settled'], { complete: 0, unseen: 1, gone: 0 });
    assert.deepEqual(msg.stash['collected'], { messages: 1, paths: ['/media/videos/Lanterna'] });
  });

  it('generates everything for scenes', async () => {
    assert.equal(statusOf(await ask('generate')), 'FINISHED');

    assert.deepEqual(variables('metadataGenerate'), [
      {
        input: {
          ...GENERATED,
          sceneIDs: ['1', '2'],
          previewOptions: {
            ...{ previewSegments: 8, previewSegmentDuration: 0.5, previewPreset: 'fast' },
            ...{ previewExcludeStart: '2%', previewExcludeEnd: '3' },
          },
        },
      },
    ]);
  });

  it('generates for markers', async () => {
    assert.equal(statusOf(await ask('generate-markers')), 'FINISHED');

    const { markerIDs } = variables('metadataGenerate')[0]?.['input'] as { markerIDs: string[] };
    assert.deepEqual(markerIDs, ['1', '3']);
  });

  it('generates for folders, images and galleries', async () => {
    stash.library.add({ path: '/media/pictures/Trip' }, '2026-01-01T00:00:00Z');
    assert.equal(statusOf(await ask('generate-folders')), 'FINISHED');

    const { paths, imageIDs, galleryIDs } = variables('metadataGenerate')[0]?.['input'] as Message;
    assert.deepEqual([paths, imageIDs, galleryIDs], [['/media/videos'], ['1'], ['1']]);
  });

  it('cleans a folder without removing anything', async () => {
    assert.equal(statusOf(await ask('clean')), 'FINISHED');
    assert.deepEqual(variables('metadataClean'), [{ input: { dryRun: true, paths: ['/media/videos'] } }]);
  });

  it('runs plugins with their arguments', async () => {
    assert.equal(statusOf(await ask('plugin')), 'FINISHED');
    const payload = { plugin: 'echo', task: 'Say hello' };
    assert.equal(statusOf(await ask('plugin-from-message', { payload })), 'FINISHED');

    assert.deepEqual(
      stash.pluginRuns.map(({ plugin, task, args }) => [plugin, task, args['mode']]),
      [
        ['tidy', 'Tidy up', 'deep'],
        ['echo', 'Say hello', undefined],
      ],
    );
  });

  it('updates scrapers', async () => {
    assert.equal(statusOf(await ask('packages')), 'FINISHED');
    assert.equal(variables('updatePackages')[0]?.['type'], 'Scraper');
  });

  it('tags the folders of scenes', async () => {
    assert.equal(statusOf(await ask('auto-tag')), 'FINISHED');
    const { paths } = variables('metadataAutoTag')[0]?.['input'] as { paths: string[] };
    assert.deepEqual(paths, ['/media/videos/Harbour Nine']);
  });

  it('writes a backup into the folder of the environment, over the last one', async () => {
    await ask('backup');
    stash.clock.ahead += 1000;
    const msg = await ask('backup');

    const { path: file, removed } = msg.payload as { path: string; removed: string[] };
    assert.equal(file, path.join(folder, 'nas 85.sqlite'));
    assert.deepEqual(removed, [], 'it keeps some, and this is the only one');
    assert.equal(readdirSync(folder).filter((name) => name.endsWith('.sqlite')).length, 1);
    const { checked } = msg.payload as { checked: string[] };
    const isMissing = msg.stash?.missing?.includes('quickCheck') ?? false;
    assert.ok(checked.includes('quickCheck') !== isMissing, 'the quick check was asked for');
  });

  it('puts a backup into the message, with the name that it has', async () => {
    const msg = await ask('backup-to-message', { topic: 'mine.zip' });
    assert.ok(Buffer.isBuffer(msg.payload));
    assert.equal((msg.stash?.['backup'] as { filename: string }).filename, 'mine.zip');
  });

  it('lists studios over the proxy, signed in, with the header', async () => {
    const { payload } = await ask('studios');

    assert.deepEqual((payload as object[])[0], { name: 'Blue Kettle', scene_count: 12 });
    assert.ok(proxy.requests.length > 0);
    const { headers = {} } = stash.requests.find(({ operation }) => operation === 'allStudios') ?? {};
    assert.equal(headers['x-gate'], 'open');
    assert.match(headers['cookie'] ?? '', /session/);
  });

  it('searches performers with the scraper of the dialog, one message each', async () => {
    await ask('search');
    await until(() => resultsOf('search').length === 2);

    const [{ source, input } = {}] = variables('scrapeSinglePerformer');
    assert.deepEqual([source, input], [{ scraper_id: 'localtest' }, { query: 'Alex' }]);
    assert.ok(resultsOf('search').every(({ payload }) => typeof payload === 'string'));
  });

  it('searches performers with the scraper of the message', async () => {
    await ask('search-by-name', { scraper: 'localtest' });
    const [{ source, input } = {}] = variables('scrapeSinglePerformer');
    assert.deepEqual([source, input], [{ scraper_id: 'localtest' }, { query: 'Juniper' }]);
  });

  it('scrapes the chosen fields of a performer', async () => {
    assert.deepEqual(Object.keys((await ask('scrape')).payload as object), ['name', 'country']);
    const { payload } = await ask('scrape-by-name', { scraper: 'builtin_freeones' });
    assert.deepEqual(payload, { name: 'Robin Vale' });
    const sources = variables('scrapeSinglePerformer').map((given) => JSON.stringify(given['source']));
    assert.deepEqual(
      [...new Set(sources)],
      ['{"scraper_id":"localtest"}', '{"scraper_id":"builtin_freeones"}'],
    );
  });

  it('replaces the fields of a performer', async () => {
    stash.people.add({ name: 'Robin Vale', country: 'US' });
    const { payload } = await ask('save');
    assert.deepEqual(payload, { id: '1', created: false, changed: ['country'] });
  });

  it('finds items one by one, with their pictures', async () => {
    const { payload } = await ask('find', { topic: 'videos' });

    assert.deepEqual(
      variables('findScenes').filter(({ criteria }) => criteria),
      [
        {
          filter: { page: 1, per_page: 2, q: 'videos', sort: 'title', direction: 'DESC' },
          criteria: { organized: false },
        },
      ],
    );
    assert.ok(Buffer.isBuffer((payload as { picture?: Buffer }).picture));
    assert.ok(Array.isArray((await ask('find-performers')).payload));
  });

  it('tells what it would change', async () => {
    const msg = await ask('update', { topic: 'Boats' });

    assert.deepEqual(msg.payload, {
      ids: ['1'],
      unchanged: [],
      created: [{ kind: 'tag', id: null, name: 'Boats' }],
      gone: [],
    });
    assert.equal(msg.stash?.reason, 'DRY_RUN');
  });

  it('sends the next page when the message comes back', async () => {
    const first = await ask('query');
    const pages = () => variables('findScenes').filter(({ filter, criteria }) => filter && !criteria);
    await until(() => pages().length === 2);
    // A page that nobody waits for would leave meanwhile.
    await ask('status');
    assert.equal(resultsOf('query').length, 1);
    const { payload } = await ask('query', structuredClone(first));

    assert.deepEqual(pages()[0], { filter: { sort: 'title', page: 1, per_page: 3 } });
    assert.equal((payload as { findScenes: { scenes: object[] } }).findScenes.scenes.length, 2);
  });

  it('takes data that comes with errors', async () => {
    const findScenes = { count: 0, scenes: [] };
    const errors = [{ message: 'half of it' }];
    // The playback node reads the scenes once.
    await until(() => variables('findScenes').length > 0);
    stash.answerWith(json({ data: { findScenes }, errors }), { field: 'findScenes' });
    assert.deepEqual((await ask('query')).stash?.['errors'], ['half of it']);
  });

  it('sends the document of the message with the variables of the dialog', async () => {
    const document = 'query ($id: ID) { findScene(id: $id) { id } }';
    assert.deepEqual((await ask('query-from-message', { document })).payload, { findScene: { id: '1' } });
  });

  it('sends variables from everywhere', async () => {
    const { flow, global } = helper.getNode('query-with-variables').context();
    flow.set('chosen', 'of the flow');
    global.set('chosen', 'of all flows');
    await ask('query-with-variables', { payload: 'of the message', topic: 'b' });

    assert.deepEqual(variables('findScene'), [
      {
        ...{ msg: 'of the message', flow: 'of the flow', global: 'of all flows', env: KEY, jsonata: 'ab' },
        ...{ str: '1', num: 2, bool: true, json: '3' },
        ...{ scene: '4', studio: '5', performer: '6', tag: '7' },
      },
    ]);
  });

  it('waits for the job of a mutation in the message', async () => {
    const msg = await ask('query-from-message', { document: 'mutation { metadataScan(input: {}) }' });
    assert.equal(msg.stash?.job?.status, 'FINISHED');
  });

  it('reports the chosen fields of the status', async () => {
    assert.deepEqual((await ask('status')).payload, { status: 'OK', version: 'v0.31.0' });
  });

  it('reports the progress of jobs, and that the server went away', async () => {
    await until(() => stash.sockets.subscribed.includes('jobsSubscribe'));
    stash.jobs.hold();
    stash.jobs.add(otherTask('Generating...', 'sprites', 'previews'));
    await until(() => resultsOf('jobs').length > 0);
    await stash.stop();
    await until(() => resultsOf('jobs').some(({ topic }) => topic === 'away'));
    assert.deepEqual(new Set(resultsOf('jobs').map(({ topic }) => topic)), new Set(['progress', 'away']));
  });

  it('reports new images and galleries as lists with pictures', async () => {
    const looks = (field: string) =>
      stash.requests.filter(({ body }) => body?.query?.includes(field) ?? false).length;
    await until(
      () =>
        looks('findImages') >= 2 &&
        looks('findGalleries') >= 2 &&
        stash.sockets.subscribed.includes('jobsSubscribe'),
    );
    for (const name of ['film.mp4', 'Pictures', 'Pictures/1.jpg']) {
      stash.library.add({ path: `/media/videos/New/${name}` }, '2026-01-11T04:41:59Z');
    }
    stash.jobs.add(otherTask('Scanning...', 'a step'));
    await until(() => resultsOf('new').length === 2);

    assert.deepEqual(
      resultsOf('new').map(({ topic }) => topic),
      ['image', 'gallery'],
    );
    for (const { payload } of resultsOf('new')) {
      const [item] = payload as { picture: unknown }[];
      assert.match(String(item?.picture), /^data:image\/png;base64,/);
    }
  });

  it('pauses other nodes, without stopping their jobs', async () => {
    stash.jobs.hold();
    const scan = ask('scan');
    await until(() => stash.jobs.queue?.[0]?.status === 'RUNNING');
    const { payload } = await ask('pause', { payload: 'playing' });
    assert.deepEqual(payload, { paused: true, interrupted: [], waiting: 0 });
    stash.jobs.release();
    assert.equal(statusOf(await scan), 'FINISHED');
    await ask('pause', { payload: 'idle' });
  });

  it('stops the job with the id of the dialog', async () => {
    stash.jobs.seconds = 60;
    stash.jobs.add(otherTask('Generating...', 'one', 'two'));
    const { stopped } = (await ask('stop')).payload as { stopped: JobRecord[] };
    assert.deepEqual(
      stopped.map(({ id }) => id),
      ['1'],
    );
  });
});
