import assert from 'node:assert/strict';
import { type Client, servers } from './client';
import { run } from './run';

const CLEAN = 'mutation { metadataClean(input: { dryRun: false }) }';
const DRY = 'mutation { metadataClean(input: { dryRun: true }) }';
const SCAN = 'mutation { metadataScan(input: {}) }';
const FOLDER = '/media/videos/Harbour Nine';
const FILE = '/media/videos/Window Seat.mp4';
const COUNTS = '{ findScenes { count } }';

describe('Fake server: tasks on the library', () => {
  const start = servers();
  const newest = () => start({ release: 'v0.30.1', jobSeconds: 0 });

  async function pathsOf({ value }: Client): Promise<unknown> {
    const found = await value('{ findScenes(filter: { sort: "id" }) { scenes { id files { path } } } }');
    const { scenes } = found as { scenes: { id: string; files: { path: string }[] }[] };
    return scenes.map(({ id, files }) => `${id} ${String(files[0]?.path)}`);
  }

  describe('clean', () => {
    it('removes what has gone from the disk', async () => {
      const client = await newest();
      client.stash.library.vanish(FOLDER);
      assert.deepEqual(await run(client, CLEAN), {
        status: 'FINISHED',
        progress: 1,
        error: null,
        lines: [
          'Starting cleaning of tracked files',
          `File not found. Marking to clean: "${FOLDER}/Low Tide.mp4"`,
          `File not found. Marking to clean: "${FOLDER}/Morning Ferry.mp4"`,
          `Folder not found. Marking to clean: "${FOLDER}"`,
          'Deleting scene "Low Tide" since it has no other related files',
          'Deleting scene "Morning Ferry" since it has no other related files',
          'Finished Cleaning (…)',
        ],
      });
      assert.deepEqual(await client.value(COUNTS), { count: 3 });
    });

    it('removes nothing from a complete disk', async () => {
      const client = await newest();
      const { lines, progress } = await run(client, CLEAN);
      assert.deepEqual(lines, ['Starting cleaning of tracked files', 'Finished Cleaning (…)']);
      assert.equal(progress, 1);
    });

    it('counts what would go in a dry run, which ends with that share as its progress', async () => {
      const client = await newest();
      client.stash.library.unmount('/media/videos');
      const { status, progress, lines } = await run(client, DRY);
      // Eight of twelve: a picture, its folder and both library folders stay.
      assert.deepEqual([status, progress], ['FINISHED', 8 / 12]);
      assert.equal(lines.filter((line) => / not found\. Marking to clean: "/.test(line)).length, 8);
      assert.equal(lines[1], 'Running in Dry Mode');
      assert.deepEqual(await client.value(COUNTS), { count: 5 });
    });

    it('looks only into the given folders; a file matches nothing', async () => {
      const client = await newest();
      client.stash.library.vanish('/media/videos');
      const clean = (path: string) => run(client, CLEAN.replace('{ dry', `{ paths: ["${path}"], dry`));
      assert.equal((await clean(FILE)).progress, null);
      assert.equal((await clean(`${FOLDER}/`)).progress, null);
      assert.deepEqual(await client.value(COUNTS), { count: 5 });
      assert.equal((await clean(FOLDER)).progress, 1);
      assert.deepEqual(await client.value(COUNTS), { count: 3 });
      assert.equal((await clean('/media')).progress, 1);
      assert.deepEqual(await client.value(COUNTS), { count: 0 });
    });

    it('gives new ids to files that reappear', async () => {
      const client = await newest();
      client.stash.library.vanish(FILE);
      await run(client, SCAN);
      await run(client, CLEAN);
      client.stash.library.reappear('/media');
      await run(client, SCAN);
      assert.deepEqual(await pathsOf(client), [
        `1 ${FOLDER}/Low Tide.mp4`,
        `2 ${FOLDER}/Morning Ferry.mp4`,
        '3 /media/videos/Lanterna/Paper Moon.mp4',
        '4 /media/videos/Quiet Hill/First Snow.mkv',
        `6 ${FILE}`,
      ]);
    });

    it('removes a folder of pictures that is a gallery', async () => {
      const client = await newest();
      client.stash.arrive({ path: '/media/pictures/Summer' });
      await run(client, SCAN);
      client.stash.library.vanish('/media/pictures/Summer');
      const { lines } = await run(client, CLEAN);
      assert.ok(
        lines.includes('Folder not found. Marking to clean: "/media/pictures/Summer"'),
        String(lines),
      );
      assert.deepEqual(await client.value('{ findGalleries { count } }'), { count: 0 });
    });
  });

  describe('scan', () => {
    it('does not find what has gone, and logs a missing library folder', async () => {
      const client = await newest();
      client.stash.arrive({ path: '/media/videos/New.mp4' });
      client.stash.library.vanish('/media/videos');
      const { status, lines } = await run(client, SCAN);
      assert.equal(status, 'FINISHED');
      assert.ok(
        lines.includes('error scanning /media/videos: lstat /media/videos: no such file or directory'),
        String(lines),
      );
      assert.deepEqual(await client.value(COUNTS), { count: 5 });
    });

    it('says nothing about an empty mount point', async () => {
      const client = await newest();
      client.stash.library.unmount('/media/videos');
      const { lines } = await run(client, SCAN);
      assert.ok(!lines.some((line) => line.startsWith('error')), String(lines));
    });

    it('accepts a filter', async () => {
      const client = await newest();
      const filter = 'filter: { minModTime: "2024-01-10T10:00:00Z" }';
      assert.equal((await run(client, SCAN.replace('{}', `{ ${filter} }`))).status, 'FINISHED');
    });
  });

  describe('identify', () => {
    const identify = (sources: string, more = '') =>
      `mutation { metadataIdentify(input: { sources: [${sources}] ${more} }) }`;
    const AUTO_TAG = '{ source: { scraper_id: "builtin_autotag" } }';

    it('without sources does nothing', async () => {
      const client = await newest();
      const expected = { status: 'FINISHED', progress: 0, error: null, lines: [] };
      assert.deepEqual(await run(client, identify('')), expected);
    });

    it('stops at a scene that does not exist', async () => {
      const client = await newest();
      const error = 'error encountered while identifying scenes: scene with id 99 not found';
      assert.deepEqual(await run(client, identify(AUTO_TAG, 'sceneIDs: ["1", "99", "2", "3"]')), {
        status: 'FAILED',
        progress: 0.25,
        error,
        lines: [`task failed due to error: ${error}`],
      });
    });

    for (const [source, error] of [
      ['{ scraper_id: "nope" }', 'not found: scraper with id "nope"'],
      ['{ stash_box_endpoint: "https://box" }', 'not found: stash-box with endpoint "https://box"'],
    ] as const) {
      it(`fails with the source ${source}, even beside a good one`, async () => {
        const client = await newest();
        const {
          status,
          progress,
          error: told,
        } = await run(client, identify(`${AUTO_TAG}, { source: ${source} }`));
        assert.deepEqual([status, progress, told], ['FAILED', 0, error]);
      });
    }
  });

  it('migrate is a job that makes the server ready', async () => {
    const client = await newest();
    const mutation = 'mutation { migrate(input: { backupPath: "" }) }';
    client.stash.status = 'NEEDS_MIGRATION';
    assert.deepEqual(await run(client, mutation), {
      status: 'FINISHED',
      progress: 1,
      error: null,
      lines: ['Migrating database from 72 to 75', 'Running migrations', 'Database migration complete'],
    });
    assert.equal(client.stash.status, 'OK');
    assert.deepEqual((await run(client, mutation)).lines, [
      'database is already at the latest schema version',
    ]);
  });

  it('migrate has made the server ready when it answers, before v0.26', async () => {
    const { stash, value } = await start({ release: 'v0.25.1' });
    stash.status = 'NEEDS_MIGRATION';
    assert.equal(await value('mutation { migrate(input: { backupPath: "" }) }'), true);
    assert.deepEqual([stash.status, stash.jobs.queue], ['OK', null]);
  });

  for (const status of ['SETUP', 'NEEDS_MIGRATION'] as const) {
    for (const task of [DRY, 'mutation { metadataAutoTag(input: {}) }', 'mutation { optimiseDatabase }']) {
      it(`in ${status} fail without a text: ${task}`, async () => {
        const client = await newest();
        client.stash.status = status;
        const { status: end, progress, error, lines } = await run(client, task);
        assert.deepEqual([end, progress, error], ['FAILED', 0, null]);
        assert.match(String(lines), /panic in job 1 - .*: runtime error: invalid memory address/);
      });
    }
  }

  it('in NEEDS_MIGRATION, identify fails with a text, and generated files can be cleaned', async () => {
    const client = await newest();
    client.stash.status = 'NEEDS_MIGRATION';
    const source = '{ source: { scraper_id: "builtin_autotag" } }';
    const { status, error } = await run(
      client,
      `mutation { metadataIdentify(input: { sources: [${source}] }) }`,
    );
    assert.equal(status, 'FAILED');
    assert.match(String(error), /^error encountered while identifying scenes: .*: not in transaction$/);
    const clean = 'mutation { metadataCleanGenerated(input: { sprites: true }) }';
    assert.equal((await run(client, clean)).status, 'FINISHED');
    client.stash.status = 'SETUP';
    assert.equal((await run(client, clean)).status, 'FAILED');
  });
});
