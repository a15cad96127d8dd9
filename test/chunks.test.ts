import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Chunks } from '../src/chunks';

const KIB = 1024;

describe('Chunks', () => {
  const patterns: [what: string, sizes: number[]][] = [
    ['nothing', []],
    ['an empty chunk', [0]],
    ['one small chunk', [10]],
    ['one large chunk', [100 * KIB]],
    ['a hundred thousand chunks of one byte', new Array<number>(100_000).fill(1)],
    ['chunks of all sizes up to 20 KiB', Array.from({ length: 500 }, (_, index) => index * 41)],
    ['large and small chunks in turn', Array.from({ length: 300 }, (_, index) => (index % 2 ? 1 : 16 * KIB))],
  ];
  for (const [what, sizes] of patterns) {
    const total = sizes.reduce((sum, size) => sum + size, 0);

    it(`return ${what} unchanged`, () => {
      const content = randomBytes(total);
      const chunks = filled(content, sizes);
      assert.equal(chunks.length, total);
      assert.ok(Buffer.concat(chunks.drain()).equals(content));
      assert.equal(chunks.length, 0);
      assert.deepEqual(chunks.drain(), []);
      assert.ok(filled(content, sizes).drainWhole().equals(content), 'as one buffer');
    });
  }

  it('merge many small chunks into few buffers', () => {
    const pieces = filled(Buffer.alloc(1_000_000), new Array<number>(1_000_000).fill(1)).drain();
    assert.ok(pieces.length < 25, `${pieces.length} pieces`);
  });

  it('do not change taken buffers when more bytes are appended', () => {
    const chunks = filled(Buffer.from('before'), [3, 3]);
    const taken = chunks.drain();
    chunks.append(Buffer.from('after'));
    assert.equal(String(Buffer.concat(taken)), 'before');
    assert.equal(String(chunks.drainWhole()), 'after');
  });
});

function filled(content: Buffer, sizes: number[]): Chunks {
  const chunks = new Chunks();
  let offset = 0;
  for (const size of sizes) chunks.append(content.subarray(offset, (offset += size)));
  return chunks;
}
