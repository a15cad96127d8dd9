import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { restore, stub } from 'sinon';
import { archive } from '../fake-stash/archive';
import { damaged, database } from '../fake-stash/database';
import { until } from '../support/waiting';
import { BackupFile } from '../../src/backups/backup-file';
import { exactSize } from '../../src/backups/content';
import { canQuickCheck } from '../../src/backups/quick-check';
import { timing } from '../../src/timing';

/** Without the quick check. */
const WITHOUT = { signal: new AbortController().signal, seconds: 60, quickCheck: false };

describe('A backup file', () => {
  const content = database({ bytes: 3_000_000 });
  const named = { overwrite: false, mayNumber: false };
  let folder: string;
  let partial: BackupFile;

  const create = async () => {
    partial = await BackupFile.create({ folder, node: 'a1b2' });
  };

  /** Writes bytes in pieces, as a connection delivers them, and waits for each. */
  async function write(bytes: Buffer, length = 65_536): Promise<void> {
    for (let at = 0; at < bytes.length; at += length) await partial.take(bytes.subarray(at, at + length));
  }

  const files = () => readdirSync(folder);
  const place = (name: string) => path.join(folder, name);

  /** Returns the prototype of all file handles. */
  async function fileHandles(): Promise<FileHandle> {
    const handle = await fs.open(place('other'), 'w');
    await handle.close();
    return Object.getPrototypeOf(handle) as FileHandle;
  }

  /** Makes `method` of every file handle fail from now on. */
  async function failing(method: 'writev' | 'sync' | 'datasync', code: string): Promise<void> {
    stub(await fileHandles(), method).rejects(Object.assign(new Error(code), { code }));
  }

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'stash-partial-'));
    await create();
  });
  afterEach(async () => {
    restore();
    await partial.discard();
    rmSync(folder, { recursive: true });
  });

  it('needs a folder', async () => {
    const gone = place('gone');
    const creating = BackupFile.create({ folder: gone, node: 'a1b2' });
    await assert.rejects(creating, { case: 'DISK.noFolder', details: { folder: gone } });
  });

  it('is hidden until it gets its final name, and only its owner can read it', async () => {
    await partial.begin(content.length);
    await write(content);
    assert.match(files().join(), /^\.stash-a1b2-[0-9a-f]{8}-\d+-[0-9a-f]{16}\.partial$/);
    const found = await partial.finish(WITHOUT);
    assert.deepEqual(found, {
      bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      checked: ['length', 'header', 'pageCount'],
      pictures: null,
    });
    assert.equal(await partial.commit('mine', named), 'mine');
    assert.deepEqual(files(), ['mine']);
    assert.equal(lstatSync(place('mine')).mode & 0o777, 0o600);
    assert.ok(readFileSync(place('mine')).equals(content));
  });

  for (const length of [1, 777, 4096, content.length - 1]) {
    it(`has the same content when it arrives in pieces of ${length} bytes`, async () => {
      const some = length === 1 ? content.subarray(0, 20_000) : content;
      await partial.begin(null);
      await write(some, length);
      await partial.finish(WITHOUT).catch(() => undefined);
      const [file = ''] = files();
      assert.ok(readFileSync(place(file)).equals(some));
    });
  }

  it('releases the memory of written buffers, except shared ones', async () => {
    const [own, part] = [Buffer.from(new ArrayBuffer(2_000_000)), Buffer.from(new ArrayBuffer(2_000_000), 1)];
    await partial.begin(null);
    await write(own, own.length);
    await write(part, part.length);
    const empty = Buffer.from(new ArrayBuffer(0));
    await partial.take(empty);
    await partial.finish(WITHOUT).catch(() => undefined);
    // Throws if the memory of the buffer was released.
    new Uint8Array(1).set(empty);
    const isGivenBack = 'transfer' in ArrayBuffer.prototype;
    assert.deepEqual([own.length, part.length], [isGivenBack ? 0 : 2_000_000, 1_999_999]);
  });

  it('reports the length as checked only if the server announced one', async () => {
    await partial.begin(null);
    await write(content);
    assert.deepEqual((await partial.finish(WITHOUT)).checked, ['header', 'pageCount']);
  });

  it('contains nothing of the first attempt after a second one begins', async () => {
    await partial.begin(5_000_000);
    await write(Buffer.alloc(4_500_000, 'x'));
    await partial.begin(content.length);
    await write(content);
    const { sha256 } = await partial.finish(WITHOUT);
    assert.equal(sha256, createHash('sha256').update(content).digest('hex'));
    await partial.commit('mine', named);
    assert.ok(readFileSync(place('mine')).equals(content));
  });

  it('is refused if it is incomplete', async () => {
    await partial.begin(null);
    await write(content.subarray(0, -4096));
    const [expected, actual] = [content.length, content.length - 4096].map(exactSize);
    await assert.rejects(partial.finish(WITHOUT), {
      case: 'BACKUP_INVALID.wrongSize',
      details: { expected, actual },
    });
  });

  it('is checked by SQLite if it is a database and Node.js has SQLite', async () => {
    const check = { ...WITHOUT, quickCheck: true };
    for (const [backup, checked] of [
      [database({ bytes: 100_000 }), ['header', 'pageCount', ...(canQuickCheck() ? ['quickCheck'] : [])]],
      [archive(), ['zip', 'header', 'pageCount', ...(canQuickCheck() ? ['quickCheck'] : [])]],
    ] as const) {
      await partial.begin(null);
      await write(backup);
      assert.deepEqual((await partial.finish(check)).checked, checked);
    }
  });

  it('is refused if the quick check of SQLite finds damage, from Node.js 24 on', async function () {
    const check = { ...WITHOUT, quickCheck: true };
    const broken = damaged(database({ bytes: 100_000, studios: ['Amber Lantern Pictures'] }));
    await partial.begin(broken.length);
    await write(broken);
    if (Number(process.versions.node.split('.')[0]) >= 24) {
      await assert.rejects(partial.finish(check), { case: 'BACKUP_INVALID.damaged' });
    } else {
      assert.deepEqual((await partial.finish(check)).checked, ['length', 'header', 'pageCount']);
    }
    assert.equal(files().length, 1, 'SQLite leaves no file of its own');
  });

  for (const [when, check] of [
    ['is gone before it gets its name', WITHOUT],
    ['is gone before the quick check', { ...WITHOUT, quickCheck: true }],
  ] as const) {
    it(`fails with DISK.vanished if it ${when}`, async () => {
      await partial.begin(content.length);
      await write(content);
      for (const file of files()) rmSync(place(file));
      const kept = partial.finish(check).then(() => partial.commit('mine', named));
      await assert.rejects(kept, { case: 'DISK.vanished', details: { folder } });
      assert.deepEqual(files(), []);
    });
  }

  it('fails with DISK.vanished if it is gone after the checks', async () => {
    await partial.begin(content.length);
    await write(content);
    await partial.finish(WITHOUT);
    for (const file of files()) rmSync(place(file));
    await assert.rejects(partial.commit('mine', named), { case: 'DISK.vanished', details: { folder } });
    assert.deepEqual(files(), []);
  });

  it('leaves no file behind when it is discarded, at any moment', async () => {
    await partial.discard();
    assert.deepEqual(files(), []);
    for (const bytes of [0, 100, 3_000_000]) {
      await create();
      await partial.begin(content.length);
      const taking = partial.take(Buffer.from(content.subarray(0, bytes)));
      const finishing = bytes === 3_000_000 ? partial.finish(WITHOUT) : undefined;
      finishing?.catch(() => undefined);
      taking?.catch(() => undefined);
      await partial.discard();
      assert.deepEqual(files(), []);
    }
  });

  it('ends its checks when it is discarded', async () => {
    const sync = stub(await fileHandles(), 'sync').resolves();
    await partial.begin(content.length);
    await write(content);
    const finishing = partial.finish(WITHOUT);
    finishing.catch(() => undefined);
    await until(() => sync.called);
    await partial.discard();
    await Promise.allSettled([finishing]);
  });

  it('lets Node-RED end once it has its name or is discarded', async () => {
    writeFileSync(place('source'), content);
    const program = `
      const { BackupFile } = require(process.argv[1]);
      const [folder, content] = [process.argv[2], require('node:fs').readFileSync(process.argv[3])];
      (async () => {
        const [kept, discarded] = [1, 2].map(() => BackupFile.create({ folder, node: 'a1b2' }));
        for (const partial of [await kept, await discarded]) {
          await partial.begin(content.length);
          await partial.take(Buffer.from(content));
        }
        await (await kept).finish({ signal: new AbortController().signal, seconds: 60, quickCheck: false });
        await (await kept).commit('mine', { overwrite: false, mayNumber: false });
        await (await discarded).discard();
      })();`;
    const script = require.resolve('../../src/backups/backup-file');
    const ran = promisify(execFile)(process.execPath, ['-e', program, script, folder, place('source')], {
      timeout: 20_000,
    });
    assert.deepEqual(await ran, { stdout: '', stderr: '' });
    assert.deepEqual(
      files()
        .filter((name) => !name.startsWith('.'))
        .sort(),
      ['mine', 'source'],
    );
  });

  describe('with a name that is taken', () => {
    beforeEach(async () => {
      await partial.begin(content.length);
      await write(content);
      await partial.finish(WITHOUT);
      writeFileSync(place('mine'), 'older');
    });

    it('is refused, and the existing file stays', async () => {
      await assert.rejects(partial.commit('mine', named), {
        case: 'DISK.exists',
        details: { name: 'mine', folder },
      });
      assert.equal(readFileSync(place('mine'), 'utf8'), 'older');
    });

    it('gets a number if allowed', async () => {
      writeFileSync(place('mine-2'), 'older');
      assert.equal(await partial.commit('mine', { overwrite: false, mayNumber: true }), 'mine-3');
      assert.deepEqual(files(), ['mine', 'mine-2', 'mine-3']);
    });

    it('replaces the existing file if allowed', async () => {
      assert.equal(await partial.commit('mine', { overwrite: true, mayNumber: false }), 'mine');
      assert.deepEqual(files(), ['mine']);
      assert.ok(readFileSync(place('mine')).equals(content));
    });

    it('does not follow a link of that name', async () => {
      mkdirSync(place('elsewhere'));
      symlinkSync(path.join('elsewhere', 'target'), place('link'));
      await assert.rejects(partial.commit('link', named), { case: 'DISK.exists' });
      await partial.commit('link', { overwrite: true, mayNumber: false }).catch(() => undefined);
      assert.ok(!existsSync(path.join(folder, 'elsewhere', 'target')));
    });

    for (const code of ['EPERM', 'EOPNOTSUPP', 'EISDIR']) {
      it(`detects a taken name on file systems without hard links too (${code})`, async () => {
        stub(fs, 'link').rejects(Object.assign(new Error('no links'), { code }));
        assert.equal(await partial.commit('mine', { overwrite: false, mayNumber: true }), 'mine-2');
        assert.deepEqual(files(), ['mine', 'mine-2']);
        assert.ok(readFileSync(place('mine-2')).equals(content));
      });
    }
  });

  it('makes the download wait while the disk is slow', async () => {
    const prototype = await fileHandles();
    let wake = (): void => undefined;
    const asleep = new Promise<void>((resolve) => (wake = resolve));
    // oxlint-disable-next-line typescript/unbound-method -- called on the file below
    const { writev } = prototype;
    stub(prototype, 'writev').callsFake(async function (this: FileHandle, buffers, position) {
      await asleep;
      return await writev.call(this, buffers, position);
    });
    await partial.begin(null);
    const waits = Array.from({ length: 8 }, () => partial.take(Buffer.alloc(2 ** 20)));
    assert.equal(waits[0], undefined);
    const [first] = waits.filter((wait) => wait !== undefined);
    assert.ok(first);
    wake();
    await first;
  });

  it('of known length needs free space for just this length', async () => {
    const whole = database({ bytes: 40 * 2 ** 20 });
    const statfs = stub(fs, 'statfs');
    const has = (free: number) => statfs.resolves({ bsize: 1, blocks: 2 ** 30, bavail: free } as never);
    has(whole.length - 1);
    await assert.rejects(partial.begin(whole.length), { case: 'DISK.full' });
    has(whole.length);
    await partial.begin(whole.length);
    await write(whole);
    assert.equal((await partial.finish(WITHOUT)).bytes, whole.length);
  });

  it('of unknown length fails before it fills the disk', async () => {
    const statfs = stub(fs, 'statfs');
    const has = (free: number) => statfs.resolves({ bsize: 2 ** 20, blocks: 1000, bavail: free } as never);
    has(128);
    await partial.begin(null);
    await write(Buffer.alloc(40 * 2 ** 20));
    await until(() => statfs.called);
    has(127);
    await assert.rejects(
      write(Buffer.alloc(80 * 2 ** 20)).then(() => partial.finish(WITHOUT)),
      { case: 'DISK.full', details: { folder, needed: '128 MiB', free: '127 MiB' } },
    );
  });

  describe('on a disk that fails', () => {
    it('fails with DISK.filled during a write', async () => {
      await partial.begin(50_000_000);
      await write(content.subarray(0, 2 ** 20));
      await failing('writev', 'ENOSPC');
      const rest = write(Buffer.alloc(20_000_000));
      await assert.rejects(rest, { case: 'DISK.filled' });
    });

    it('fails if the disk rejects the last bytes', async () => {
      await partial.begin(content.length);
      await failing('writev', 'EDQUOT');
      await write(content.subarray(0, 1000));
      await assert.rejects(partial.finish(WITHOUT), { case: 'DISK.filled' });
    });

    it('fails if the disk rejects the last bytes while the download ends', async () => {
      await partial.begin(content.length);
      await failing('writev', 'ENOSPC');
      assert.equal(partial.take(content), undefined);
      await assert.rejects(partial.finish(WITHOUT), { case: 'DISK.filled' });
    });

    for (const method of ['sync', 'datasync'] as const) {
      it(`fails if ${method} fails, even if the folder cannot be read either`, async () => {
        const large = database({ bytes: 40_000_000 });
        await partial.begin(large.length);
        await failing(method, 'EIO');
        stub(fs, 'lstat').rejects(new Error('unreadable'));
        await assert.rejects(
          write(large).then(() => partial.finish(WITHOUT)),
          { case: 'DISK.failed', message: /"code":"EIO"/ },
        );
      });
    }

    it('ends the download soon after a sync failed', async () => {
      await partial.begin(60_000_000);
      await failing('datasync', 'EIO');
      await assert.rejects(write(Buffer.alloc(60_000_000)), { case: 'DISK.failed' });
    });

    it('fails if the disk keeps less than was written', async () => {
      stub(await fileHandles(), 'writev').callsFake((buffers) => {
        const bytesWritten = (buffers as Buffer[]).reduce((sum, { length }) => sum + length, 0);
        return Promise.resolve({ bytesWritten, buffers });
      });
      await partial.begin(content.length);
      await write(content);
      await assert.rejects(partial.finish(WITHOUT), {
        case: 'DISK.failed',
        message: /shorter than what was written/,
      });
    });

    it('fails, and does not try for ever, if the disk takes nothing', async () => {
      stub(await fileHandles(), 'writev').callsFake((buffers) =>
        Promise.resolve({ bytesWritten: 0, buffers }),
      );
      await partial.begin(content.length);
      await write(content).catch(() => undefined);
      await assert.rejects(partial.finish(WITHOUT), { case: 'DISK.failed', message: /"code":"EIO"/ });
    });

    for (const call of ['writev', 'datasync', 'sync'] as const) {
      it(`fails, and does not wait for ever, if the disk never answers ${call}`, async () => {
        const { disk } = timing;
        // Long enough for the calls that are answered, however busy the machine is.
        timing.disk = 500;
        const large = database({ bytes: 33 * 1024 * 1024 });
        stub(await fileHandles(), call).returns(new Promise<never>(() => undefined));
        try {
          await partial.begin(large.length);
          await write(large).catch(() => undefined);
          await assert.rejects(partial.finish(WITHOUT), {
            case: 'DISK.failed',
            message: /"code":"ETIMEDOUT"/,
          });
        } finally {
          timing.disk = disk;
        }
      });
    }

    it('fails if the disk rejects the final name', async () => {
      await partial.begin(content.length);
      await write(content);
      await partial.finish(WITHOUT);
      await failing('sync', 'EIO');
      await assert.rejects(partial.commit('mine', named), { case: 'DISK.failed', message: /"code":"EIO"/ });
    });

    it('writes the remaining bytes after a partial write', async () => {
      const prototype = await fileHandles();
      // oxlint-disable-next-line typescript/unbound-method -- called on the file below
      const { writev } = prototype;
      stub(prototype, 'writev').callsFake(function (this: FileHandle, buffers, position) {
        const [first = Buffer.alloc(0)] = buffers as Buffer[];
        return writev.call(this, [first.subarray(0, 50_000)], position);
      });
      await partial.begin(content.length);
      await write(content);
      const { sha256 } = await partial.finish(WITHOUT);
      assert.equal(sha256, createHash('sha256').update(content).digest('hex'));
    });
  });
});
