import assert from 'node:assert/strict';
import { duration, formatBytes, formatBytesOf } from '../../src/contract/units';

describe('A size', () => {
  const sizes: [bytes: number, words: string][] = [
    [0, '0 B'],
    [1, '1 B'],
    [1023, '1023 B'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [10_188, '9.9 KiB'],
    [10_189, '10 KiB'],
    [2 ** 20 - 1, '1 MiB'],
    [2 ** 30 - 1, '1 GiB'],
    [1.25 * 2 ** 30, '1.3 GiB'],
    [2 ** 50, '1024 TiB'],
  ];
  for (const [bytes, words] of sizes) {
    it(`of ${bytes} bytes is formatted as ${words}`, () => {
      assert.equal(formatBytes(bytes), words);
    });
  }

  it('is formatted with the numbers of a language', () => {
    assert.equal(
      formatBytes(1536, (value) => value.toLocaleString('de')),
      '1,5 KiB',
    );
  });

  it('is formatted with a known or unknown total', () => {
    assert.equal(formatBytesOf(2 ** 29, 2 ** 30), '512 MiB / 1 GiB');
    assert.equal(formatBytesOf(2 ** 29, null), '512 MiB / ?');
  });
});

describe('A duration', () => {
  const durations: [seconds: number, words: string][] = [
    [0, '0 s'],
    [0.34, '0.3 s'],
    [0.52, '0.5 s'],
    [0.94, '0.9 s'],
    [0.95, '1 s'],
    [1.4, '1 s'],
    [59.6, '1 min'],
    [192, '3 min 12 s'],
    [7260, '2 h 1 min'],
  ];
  for (const [seconds, words] of durations) {
    it(`of ${seconds} s is formatted as ${words}`, () => {
      assert.equal(duration(seconds), words);
    });
  }
});
