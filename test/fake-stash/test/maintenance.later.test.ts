import assert from 'node:assert/strict';
import { servers } from './client';
import { run } from './run';

const DRY = 'mutation { metadataClean(input: { dryRun: true }) }';

describe('Fake server: identify and migrate', () => {
  const start = servers();
  const newest = () => start({ release: 'v0.30.1', jobSeconds: 0 });

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
