import assert from 'node:assert/strict';
import { once } from 'node:events';
import { truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { Verifier } from '../../src/backups/verifier';
import { StashError } from '../../src/errors';
import { database } from '../fake-stash/database';
import { useFolder } from '../support/folder';
import { openIn } from '../support/open-files';

describe('The thread that verifies a backup', () => {
  const folder = useFolder();
  const failed = (code: string) =>
    new StashError('DISK.failed', { details: { folder: folder(), code, got: '0 B' } });
  let file: string;

  beforeEach(async () => {
    file = path.join(folder(), 'backup');
    await writeFile(file, '');
  });

  it('reports what failed first, although it has more to read', async () => {
    for (let count = 0; count < 20; count += 1) {
      const verifier = new Verifier(file);
      verifier.follow(10);
      verifier.follow(20);
      await assert.rejects(verifier.finish(20, failed), /shorter than what was written/);
      verifier.stop();
    }
  });

  it('reports the code of an error of the file system', async () => {
    const verifier = new Verifier(folder());
    verifier.follow(10);
    const { details } = (await verifier.finish(10, failed).catch((error: unknown) => error)) as StashError;
    assert.equal(details['code'], 'EISDIR');
  });

  it('closes the file, whatever it has found', async () => {
    for (const [content, expected] of [
      [database({ bytes: 100_000 }), /undefined/],
      ['no database', /BACKUP_INVALID/],
    ] as const) {
      await writeFile(file, content);
      const created = once(process, 'worker');
      const verifier = new Verifier(file);
      const [thread] = (await created) as [Worker];
      const ended = once(thread, 'exit');
      const error = await verifier.finish(content.length, failed).catch((thrown: unknown) => thrown);
      assert.match(String((error as Partial<StashError>).case), expected);
      await ended;
      assert.deepEqual(openIn(folder()), []);
    }
  });

  it('ends when it is stopped while it waits for more of the file', async () => {
    const created = once(process, 'worker');
    const verifier = new Verifier(file);
    const [thread] = (await created) as [Worker];
    const ended = once(thread, 'exit');
    verifier.stop();
    assert.deepEqual(await ended, [0]);
  });

  it('ends in the middle of a long file when it is stopped', async () => {
    const size = 2 ** 36;
    await truncate(file, size);
    const verifier = new Verifier(file);
    verifier.follow(size);
    verifier.stop();
    await assert.rejects(verifier.finish(size, failed), /has ended/);
  });
});
