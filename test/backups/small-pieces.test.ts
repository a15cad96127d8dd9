import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { restore, stub } from 'sinon';
import { database } from '../fake-stash/database';
import { BackupBuffer } from '../../src/backups/backup-buffer';
import { BackupFile } from '../../src/backups/backup-file';

const MIB = 2 ** 20;

describe('A backup in a million pieces of one byte', () => {
  const content = database({ bytes: 1_000_000 });
  const sha256 = createHash('sha256').update(content).digest('hex');
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'stash-pieces-'));
  });
  afterEach(() => {
    restore();
    rmSync(folder, { recursive: true });
  });

  function give(sink: { take: (piece: Buffer) => unknown }): void {
    for (let at = 0; at < content.length; at += 1) sink.take(content.subarray(at, at + 1));
  }

  /** Returns how many bytes `take` allocates that are still in use after it. */
  function growth(take: () => void): number {
    const before = memory();
    take();
    return memory() - before;
  }

  it('needs little more memory than its size on its way into a message', async () => {
    const sink = new BackupBuffer(64 * MIB);
    sink.begin(content.length);
    const grown = growth(() => {
      give(sink);
    });
    assert.ok(grown < 8 * MIB, `${Math.round(grown / MIB)} MiB`);
    const found = await sink.finish(new AbortController().signal);
    assert.ok(found.content.equals(content));
    assert.equal(found.sha256, sha256);
  });

  it('needs little more memory than its size while the disk is slow', async () => {
    const handle = await fs.open(path.join(folder, 'other'), 'w');
    const prototype = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    let wake = (): void => undefined;
    const asleep = new Promise<void>((resolve) => (wake = resolve));
    // oxlint-disable-next-line typescript/unbound-method -- called on the file below
    const { writev } = prototype;
    stub(prototype, 'writev').callsFake(async function (this: typeof handle, buffers, position) {
      await asleep;
      return await writev.call(this, buffers, position);
    });
    const partial = await BackupFile.create({ folder, node: 'a1b2' });
    try {
      await partial.begin(content.length);
      const grown = growth(() => {
        give(partial);
      });
      assert.ok(grown < 8 * MIB, `${Math.round(grown / MIB)} MiB`);
      wake();
      assert.equal(
        (await partial.finish({ signal: new AbortController().signal, seconds: 60, quickCheck: false }))
          .sha256,
        sha256,
      );
    } finally {
      wake();
      await partial.discard();
    }
  });
});

function memory(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
