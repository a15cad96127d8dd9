import assert from 'node:assert/strict';
import { constants } from 'node:buffer';
import { archive } from '../fake-stash/archive';
import { database } from '../fake-stash/database';
import { BackupBuffer } from '../../src/backups/backup-buffer';

describe('A backup in memory', () => {
  for (const [what, content, checked, pictures] of [
    ['a database', database({ bytes: 300_000 }), ['header', 'pageCount'], null],
    ['an archive', archive(), ['zip', 'header', 'pageCount'], 3],
  ] as const) {
    it(`passes the same checks as one in a folder: ${what}`, async () => {
      for (const [total, all] of [
        [null, checked],
        [content.length, ['length', ...checked]],
      ] as const) {
        const sink = new BackupBuffer(content.length);
        sink.begin(total);
        sink.take(content);
        const found = await sink.finish(new AbortController().signal);
        assert.deepEqual([found.checked, found.pictures], [all, pictures]);
      }
    });
  }

  it('is refused as soon as it is known to be larger than the limit', () => {
    const tooLarge = { case: 'TOO_LARGE.backup', details: { size: '1001 B', limit: '1000 B' } };
    const sink = new BackupBuffer(1000);
    assert.throws(() => {
      sink.begin(1001);
    }, tooLarge);
    sink.begin(1000);
    sink.begin(null);
    sink.take(Buffer.alloc(1000));
    assert.throws(() => {
      sink.take(Buffer.alloc(1));
    }, tooLarge);
  });

  it('is refused if it is larger than a buffer of Node.js can be, whatever the limit', () => {
    const sink = new BackupBuffer(Infinity);
    assert.throws(
      () => {
        sink.begin(constants.MAX_LENGTH + 1);
      },
      { case: 'TOO_LARGE.backup' },
    );
  });
});
