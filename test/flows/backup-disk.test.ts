import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { database } from '../fake-stash/database';
import { freezeAfter, lengthUntold } from '../fake-stash/faults';
import { Backups, downloads, failureOf, savedOf } from './backups';

const MEBIBYTE = 1024 * 1024;

// Only root on Linux may mount a file system, and in some containers nobody may.
if (canMount()) {
  describe('On a disk of 2 MiB', () => {
    const backups = new Backups();
    let disk: string;

    before(() => {
      disk = mkdtempSync(path.join(tmpdir(), 'node-red-stash-'));
      assert.ok(mount('-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk));
    });
    beforeEach(() => {
      backups.folder = disk;
      for (const name of backups.files()) rmSync(backups.place(name));
      backups.put('older', 'an older one');
    });
    after(() => {
      unmount(disk);
      rmSync(disk, { recursive: true });
    });

    /** Checks that the next backup succeeds. */
    async function goesOn(flow: Awaited<ReturnType<Backups['start']>>): Promise<void> {
      backups.stash.answerNormally();
      backups.stash.backups.content = database();
      const { filename } = savedOf(await flow.ask());
      assert.deepEqual(backups.files(), ['older', filename].sort());
    }

    it('a backup that is too large fails as soon as its length is known', async () => {
      backups.stash.backups.content = database({ bytes: 4 * MEBIBYTE });
      backups.stash.answerWith(freezeAfter(2 * MEBIBYTE), downloads);
      const flow = await backups.start();
      const { case: which, details } = failureOf(await flow.ask());

      assert.deepEqual(
        [which, details],
        ['DISK.full', { folder: backups.folder, needed: '4 MiB', free: '2 MiB' }],
      );
      assert.deepEqual(backups.files(), ['older']);
      assert.equal(backups.fetches().length, 1);
      await goesOn(flow);
    });

    it('a backup of unknown length fails when the disk is full, and leaves no file', async () => {
      backups.stash.backups.content = database({ bytes: 20 * MEBIBYTE });
      backups.stash.answerWith(lengthUntold, downloads);
      const flow = await backups.start();
      const { case: which, details } = failureOf(await flow.ask());

      assert.deepEqual([which, details['folder']], ['DISK.filled', backups.folder]);
      assert.match(String(details['got']), /^[\d.]+ [KM]iB \/ \?$/);
      assert.deepEqual(backups.files(), ['older']);
      assert.equal(backups.fetches().length, 1);
      await goesOn(flow);
    });

    it('a backup fails when another file uses its space, and leaves no file', async () => {
      backups.stash.backups.content = database({ bytes: 1.8 * MEBIBYTE });
      const frozen = freezeAfter(1.2 * MEBIBYTE);
      backups.stash.answerWith(
        async (request, response, body, execute) => {
          await frozen(request, response, body, execute);
          await flow.until(() =>
            backups.files().some((name) => statSync(backups.place(name)).size >= MEBIBYTE),
          );
          backups.put('another', 'x'.repeat(0.75 * MEBIBYTE));
          response.destroy();
        },
        { ...downloads, times: 1 },
      );
      const flow = await backups.start();
      const { case: which, details } = failureOf(await flow.ask());

      assert.equal(which, 'DISK.filled');
      assert.match(String(details['got']), /^1(\.\d)? MiB \/ 1\.8 MiB$/);
      assert.deepEqual(backups.files(), ['another', 'older']);
    });

    it('simultaneous backups are either complete or fail with DISK', async () => {
      backups.stash.backups.content = database({ bytes: 0.8 * MEBIBYTE });
      const flow = await backups.start();
      const ids = [1, 2, 3, 4].map(() => flow.send());
      await flow.until(() => ids.every((id) => flow.hasEnded(id)));

      const ends = ids.map((id) => flow.endOf(id));
      const saved = ends.filter(({ output }) => output === 1).map((ended) => savedOf(ended).filename);
      for (const ended of ends) if (ended.output !== 1) assert.equal(failureOf(ended).code, 'DISK');
      assert.ok(saved.length <= 2);
      assert.deepEqual(backups.files(), ['older', ...saved].sort());
      for (const name of saved) assert.deepEqual(backups.read(name), backups.stash.backups.content);
    });

    it('a backup stays although the node cannot write the ledger', async () => {
      const { bavail, bsize } = statfsSync(backups.folder);
      backups.stash.backups.content = database({ bytes: bavail * bsize });
      const flow = await backups.start({ keep: '1' });
      const ended = await flow.ask();

      const { filename } = savedOf(ended);
      assert.match((ended.msg.stash?.['rotation'] as { trouble: string }).trouble, /^ENOSPC/);
      assert.deepEqual(backups.files(), ['older', filename].sort());
    });

    it('the node sends no request if the disk is read-only', async () => {
      assert.ok(mount('-o', 'remount,ro', disk));
      try {
        const flow = await backups.start();
        const { case: which, details } = failureOf(await flow.ask());
        assert.deepEqual([which, details], ['DISK.readOnly', { folder: backups.folder }]);
        assert.deepEqual(backups.stash.requests, []);
      } finally {
        assert.ok(mount('-o', 'remount,rw', disk));
      }
    });
  });
}

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(path.join(tmpdir(), 'node-red-stash-'));
  const can = mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder);
  if (can) unmount(folder);
  rmSync(folder, { recursive: true });
  return can;
}

function mount(...words: string[]): boolean {
  return spawnSync('mount', words).status === 0;
}

function unmount(folder: string): void {
  assert.equal(spawnSync('umount', [folder]).status, 0);
}
