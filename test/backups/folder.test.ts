import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { restore, stub } from 'sinon';
import { openIn } from '../support/open-files';
import {
  checkRoom,
  diskError,
  isTaken,
  openFolder,
  removeStaleTempFiles,
  syncFolder,
  TempFile,
} from '../../src/backups/folder';

describe('A folder for backups', () => {
  let folder: string;
  const place = (name: string) => path.join(folder, name);
  const failure = (code: string) => Object.assign(new Error(`${code}: it failed`), { code });

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'stash-folder-')));
  });
  afterEach(() => {
    restore();
    rmSync(folder, { recursive: true });
  });

  it('is resolved to the target of the links in its path', async () => {
    mkdirSync(place('disk'));
    symlinkSync('disk', place('backups'));
    assert.equal(await openFolder(place('backups')), place('disk'));
  });

  it('must exist and be a folder', async () => {
    writeFileSync(place('file'), '');
    symlinkSync('nowhere', place('link'));
    for (const name of ['missing', 'file', 'link', 'file/below']) {
      await assert.rejects(openFolder(place(name)), {
        case: 'DISK.noFolder',
        details: { folder: place(name) },
      });
    }
  });

  it('must be writable', async () => {
    stub(fs, 'access').rejects(failure('EACCES'));
    await assert.rejects(openFolder(folder), {
      case: 'DISK.notAllowed',
      details: { folder, code: 'EACCES' },
    });
  });

  it('must have enough room, if its file system reports the free space', async () => {
    await checkRoom(folder, 1);
    const statfs = stub(fs, 'statfs');
    const reported = { bsize: 4096, blocks: 1000, bavail: 256 };
    statfs.resolves(reported as never);
    await checkRoom(folder, 1024 * 1024);
    await assert.rejects(checkRoom(folder, 1024 * 1024 + 1), {
      case: 'DISK.full',
      details: { folder, needed: '1 MiB', free: '1 MiB' },
    });
    statfs.resolves({ ...reported, blocks: 0, bavail: 0 } as never);
    await checkRoom(folder, 2 ** 40);
  });

  it('treats the name of a broken link as taken, too', async () => {
    symlinkSync('nowhere', place('link'));
    assert.deepEqual([await isTaken(folder, 'link'), await isTaken(folder, 'free')], [true, false]);
  });

  it('must be readable, or nobody knows which names are taken and which temp files are left', async () => {
    writeFileSync(place('file'), '');
    for (const gone of [place('file'), place('missing')]) {
      await assert.rejects(removeStaleTempFiles(gone, 'a1b2'), {
        case: 'DISK.noFolder',
        details: { folder: gone },
      });
    }
    await assert.rejects(isTaken(place('file'), 'name'), { case: 'DISK.noFolder' });
  });

  it('treats the name of a folder as taken even if files may be replaced', async () => {
    mkdirSync(place('folder'));
    writeFileSync(place('file'), '');
    symlinkSync('folder', place('link'));
    const names = ['folder', 'file', 'link'];
    assert.deepEqual(await Promise.all(names.map((name) => isTaken(folder, name, true))), [
      true,
      false,
      false,
    ]);
  });

  it('loses the temp files of the node, and no other files', async () => {
    const random = '0123456789abcdef';
    const [, here] = /-([0-9a-f]{8})-\d+-\w+\.partial$/.exec(new TempFile(folder, 'x').path) ?? [];
    const mine = `${here}-${process.pid}-${random}`;
    const others = [
      `.stash-a1b2-c3-${mine}.partial`,
      `.stash-a1-${mine}.partial`,
      `.stash-a1b2-${mine}`,
      `.stash-a1b2-${mine}.partial.txt`,
      `.stash-a1b2-${random}.partial`,
      '.stash-backups.json',
      `stash-a1b2-${mine}.partial`,
      'stash-go.sqlite.75.20260111_030000',
    ];
    const own = [`.stash-a1b2-${mine}.partial`, `.stash-backups-${mine}.partial`];
    for (const name of [...own, ...others]) writeFileSync(place(name), '');
    const inUse = new TempFile(folder, 'a1b2');
    writeFileSync(inUse.path, '');

    await removeStaleTempFiles(folder, 'a1b2');
    assert.deepEqual(readdirSync(folder).sort(), [...others, path.basename(inUse.path)].sort());
    await inUse.remove();
    assert.deepEqual(readdirSync(folder).sort(), others.sort());
  });

  it('loses the temp files of another process once that process has ended', async () => {
    const program = `
      const { BackupFile } = require(process.argv[1]);
      BackupFile.create({ folder: process.argv[2], node: 'a1b2' }).then(() => process.stdout.write('created'));
      process.stdin.resume();`;
    const script = require.resolve('../../src/backups/backup-file');
    const other = spawn(process.execPath, ['-e', program, script, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      await once(other.stdout, 'data');
      await removeStaleTempFiles(folder, 'a1b2');
      assert.equal(readdirSync(folder).length, 1);
    } finally {
      other.kill('SIGKILL');
      await once(other, 'close');
    }
    await removeStaleTempFiles(folder, 'a1b2');
    assert.deepEqual(readdirSync(folder), []);
  });

  it('keeps the temp files of a running process of another user', async () => {
    const [, here] = /-([0-9a-f]{8})-\d+-\w+\.partial$/.exec(new TempFile(folder, 'x').path) ?? [];
    const name = `.stash-a1b2-${here}-${process.ppid}-${'0'.repeat(16)}.partial`;
    writeFileSync(place(name), '');
    // Root may send signals to every process.
    stub(process, 'kill').throws(failure('EPERM'));
    await removeStaleTempFiles(folder, 'a1b2');
    assert.deepEqual(readdirSync(folder), [name]);
  });

  it('may lose a temp file of another machine at the same moment to that machine', async () => {
    const name = `.stash-a1b2-00000000-${process.pid}-${'0'.repeat(16)}.partial`;
    writeFileSync(place(name), '');
    stub(fs, 'lstat').callsFake(async () => {
      await fs.unlink(place(name));
      throw failure('ENOENT');
    });
    await removeStaleTempFiles(folder, 'a1b2');
    assert.deepEqual(readdirSync(folder), []);
  });

  it('loses the temp files of another machine after half a day without a change', async () => {
    const name = `.stash-a1b2-00000000-${process.pid}-${'0'.repeat(16)}.partial`;
    writeFileSync(place(name), '');
    const hoursAgo = (hours: number) => Date.now() / 1000 - hours * 3600;
    utimesSync(place(name), hoursAgo(11), hoursAgo(11));
    await removeStaleTempFiles(folder, 'a1b2');
    assert.deepEqual(readdirSync(folder), [name]);
    utimesSync(place(name), hoursAgo(13), hoursAgo(13));
    await removeStaleTempFiles(folder, 'a1b2');
    assert.deepEqual(readdirSync(folder), []);
  });

  it("contains a node's temp files whatever the node's id is", () => {
    for (const id of ['../../etc/x', 'a/b', '', 'x'.repeat(500)]) {
      const { path: file } = new TempFile(folder, id);
      assert.equal(path.dirname(file), folder);
      assert.match(path.basename(file), /^\.stash-[\w-]{0,100}-[0-9a-f]{8}-\d+-[0-9a-f]{16}\.partial$/);
    }
  });

  it('is synced, unless the system cannot open or sync folders', async () => {
    await syncFolder(folder);
    assert.deepEqual(openIn(folder), []);
    const open = stub(fs, 'open');
    for (const code of ['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP', 'EBADF']) {
      open.rejects(failure(code));
      await syncFolder(folder);
    }
    open.rejects(failure('EIO'));
    await assert.rejects(syncFolder(folder), {
      case: 'DISK.failed',
      details: { folder, code: 'EIO', got: '0 B' },
    });
  });

  const errors: [code: string, error: string][] = [
    ['ENOENT', 'DISK.noFolder'],
    ['ENOTDIR', 'DISK.noFolder'],
    ['EACCES', 'DISK.notAllowed'],
    ['EPERM', 'DISK.notAllowed'],
    ['EROFS', 'DISK.readOnly'],
    ['ENAMETOOLONG', 'DISK.longName'],
    ['EFBIG', 'DISK.fileTooLarge'],
    ['ENOSPC', 'DISK.filled'],
    ['EDQUOT', 'DISK.filled'],
    ['EIO', 'DISK.failed'],
    ['ESTALE', 'DISK.failed'],
    ['MODULE_NOT_FOUND', 'DISK.notLoaded'],
  ];
  for (const [code, error] of errors) {
    it(`reports ${code} as ${error}`, () => {
      assert.equal(diskError(failure(code), folder).case, error);
    });
  }
});
