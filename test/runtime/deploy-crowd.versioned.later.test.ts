import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { timing } from '../../src/timing';
import { database } from '../fake-stash/database';
import { load, useFakeStash } from '../support/flow';
import { useFolder } from '../support/folder';
import { deploy, followEnds, helper } from '../support/runtime';
import { hasten, TEMPO } from '../support/tempo';
import { until } from '../support/waiting';

/** How many messages wait in each round, and how many deploys come one after the other. */
const MESSAGES = 200;
const DEPLOYS = 5;
const ROUNDS = Number(process.env['STASH_DEPLOY_ROUNDS'] ?? 1);

const PAGES = 'query ($filter: FindFilterType) { findScenes(filter: $filter) { count scenes { id } } }';

describe('two hundred messages in all states', () => {
  hasten();
  const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.02 });
  const folder = useFolder();

  /** The nodes, by id, with the properties that each deploy changes. */
  const nodes = (): Record<string, object> => ({
    scan: { type: 'stash-scan', reply: 'finished', sendFailed: true },
    start: { type: 'stash-scan' },
    collect: { type: 'stash-scan', paths: 'payload', pathsType: 'msg', collect: '0.4', reply: 'finished' },
    generate: { type: 'stash-generate', sprites: true, reply: 'finished' },
    search: { type: 'stash-performer-search' },
    scrape: { type: 'stash-performer-scrape' },
    save: { type: 'stash-performer-save' },
    pages: { type: 'stash-query', document: PAGES, pages: true, perPage: '1' },
    studios: { type: 'stash-studios' },
    backup: {
      type: 'stash-backup',
      download: true,
      folder: folder(),
      filename: 'backup-{{payload}}',
      filenameType: 'str',
      overwrite: true,
    },
  });
  const flows = (changes: object) => [
    { id: 'tab', type: 'tab', label: '' },
    { id: 'server1', type: 'stash-server', url: stash().url, pause: 0.01, ...changes },
    ...Object.entries(nodes()).map(([id, node]) => {
      return { id, server: 'server1', z: 'tab', x: 10, y: 10, wires: [['out']], ...node, ...changes };
    }),
    { id: 'out', type: 'helper', z: 'tab', x: 10, y: 10, wires: [] },
  ];
  const payloadFor = (id: string, index: number) => {
    if (id === 'collect') return `/media/videos/${index}.mp4`;
    if (id === 'save') return { name: `Nobody No. ${index}` };
    return id === 'search' || id === 'scrape' ? 'Robin Vale' : index;
  };

  const { rest } = timing.downloads;
  before(() => {
    // Several backups in a second fail.
    timing.downloads.rest = 300;
  });
  after(() => {
    timing.downloads.rest = rest;
  });

  let ends: Map<string, (string | undefined)[]>;
  let stopFollowing: () => void;
  beforeEach(() => {
    ends = new Map();
    stopFollowing = followEnds(({ msg, error, node }) => {
      if (!(node.id in nodes())) return;
      const before = ends.get(msg._msgid) ?? [];
      ends.set(msg._msgid, [...before, error && (error.code ?? String(error.message))]);
    });
  });
  afterEach(() => stopFollowing());

  it('end once each in five deploys in a row, and no job starts twice', async function () {
    this.timeout(60_000 * ROUNDS);
    stash().backups.content = database({ bytes: 40_000 });
    stash().site.delay = 2;
    await load(flows({}), {});
    for (let round = 1; round <= ROUNDS; round++) {
      const ids = Object.keys(nodes());
      const sent = Array.from({ length: MESSAGES }, (_, index) => {
        const id = ids[index % ids.length] ?? '';
        const _msgid = `${round}-${id}-${index}`;
        helper.getNode(id).receive({ _msgid, payload: payloadFor(id, index) });
        return _msgid;
      });
      for (let count = 1; count <= DEPLOYS; count++) {
        await sleep(20 * count);
        // Every second deploy changes a property of each node, and the server.
        const changes = { name: `${round}.${count}`, timeout: 30 + Math.floor(count / 2) };
        await deploy(flows(changes), count % 2 === 0 ? 'nodes' : 'full', {});
      }
      await until(() => sent.every((one) => ends.has(one)));
      const wrong = sent.flatMap((one) => {
        const end = ends.get(one) ?? [];
        return end.length === 1 && end[0] === undefined ? [] : [`${one}: ${end.join()}`];
      });
      assert.deepEqual(wrong, []);
    }
    const operations = stash().requests.map(({ operation }) => operation);
    const mutations = (name: string) => operations.filter((operation) => operation === name).length;
    const each = (MESSAGES / Object.keys(nodes()).length) * ROUNDS;
    assert.equal(mutations('metadataGenerate'), each);
    assert.equal(mutations('backupDatabase'), each);
    assert.equal(mutations('performerCreate'), each / ROUNDS);
    const scans = mutations('metadataScan') - 2 * each;
    assert.ok(scans >= ROUNDS && scans <= 2 * ROUNDS, `${scans} scans for the collected messages`);
  });
});
