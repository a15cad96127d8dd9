import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '../browser/eventually';
import { type Example, useExamples } from '../support/example';
import { useUserDir } from '../support/user-dir';
import { FakeStash } from '../fake-stash/fake-stash';

const NAME = 'Back up every night';
const SAVED =
  /^Database of nas backed up to (stash-go\.sqlite\.\d+\.\d{8}_\d{6}) \([^)]+, verified(, 1 old backup deleted)?\)\.$/;

describe(`The example "${NAME}" in a real Node-RED`, () => {
  const userDir = useUserDir();
  const runExample = useExamples(userDir);
  let folder: string;
  let stash: FakeStash;
  let example: Example;

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'stash-backups-'));
    stash = await FakeStash.start({ release: 'v0.30.1' });
    example = await runExample(NAME, stash.url, { 'stash-backup': { folder } });
  });

  afterEach(async () => {
    await example.stop();
    await stash.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('fetches a backup that nobody else may read, and says so', async () => {
    const { file, removed } = await backUp();
    assert.equal(removed, undefined);
    assert.deepEqual(backups(), [file]);
    assert.deepEqual(readFileSync(path.join(folder, file)), stash.backups.content);
    if (process.platform !== 'win32') assert.equal(statSync(path.join(folder, file)).mode & 0o777, 0o600);
  });

  it('keeps the last backup of a day, and touches nothing else in the folder', async () => {
    mkdirSync(path.join(folder, 'photos'));
    const { file: first } = await backUp();
    await nextSecond(first);
    const { file: second, removed } = await backUp();
    assert.notEqual(second, first);
    assert.equal(removed, ', 1 old backup deleted');
    assert.deepEqual(backups(), ['photos', second]);
  });

  it('says what is wrong with the folder before the server makes a backup', async () => {
    rmSync(folder, { recursive: true });
    await example.press('at three');
    assert.match(
      await notification(),
      /^“back up” on nas failed\. There is no folder .*\. Check that its disk or share is mounted/,
    );
    assert.ok(!stash.requests.some(({ body }) => JSON.stringify(body).includes('backupDatabase')));
  });

  it('says that a web page came instead, and keeps earlier backups', async () => {
    const { file } = await backUp();
    stash.backups.content = Buffer.from('<!doctype html><title>Sign in</title>');
    await nextSecond(file);
    await example.press('at three');
    assert.match(
      await notification(),
      /^“back up” on nas failed\. The download is a web page, not a backup\./,
    );
    assert.deepEqual(backups(), [file]);
  });

  async function backUp(): Promise<{ file: string; removed: string | undefined }> {
    await example.press('at three');
    const text = await notification();
    const [, file, removed] = SAVED.exec(text) ?? [];
    assert.ok(file !== undefined, text);
    return { file, removed };
  }

  /** The server names its backups by the second. */
  async function nextSecond(file: string): Promise<void> {
    await eventually(
      () => Promise.resolve(stash.clock.digits()),
      (now) => {
        assert.ok(!file.endsWith(now), now);
      },
    );
  }

  /** Returns the visible files in the folder. */
  function backups(): string[] {
    return readdirSync(folder)
      .filter((file) => !file.startsWith('.'))
      .sort();
  }

  function notification(): Promise<string> {
    return example.next('your notification');
  }
});
