import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { database } from '../../fake-stash/database';
import { lengthUntold } from '../../fake-stash/faults';
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

    it('a backup of unknown length fails when the disk is full and leaves no file, and the next one succeeds', async () => {
      backups.stash.backups.content = database({ bytes: 20 * MEBIBYTE });
      backups.stash.answerWith(lengthUntold, downloads);
      const flow = await backups.start();
      const { case: which, details } = failureOf(await flow.ask());

      assert.deepEqual([which, details['folder']], ['DISK.filled', backups.folder]);
      assert.match(String(details['got']), /^[\d.]+ [KM]iB \/ \?$/);
      assert.deepEqual(backups.files(), ['older']);
      assert.equal(backups.fetches().length, 1);

      backups.stash.answerNormally();
      backups.stash.backups.content = database();
      const { filename } = savedOf(await flow.ask());
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
