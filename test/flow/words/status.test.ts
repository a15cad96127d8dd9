import assert from 'node:assert/strict';
import { useTexts, words } from '../../support/words';
import { textOfProgress } from '../../../src/flow/words';

const MEBIBYTE = 2 ** 20;

describe('The status of a download', () => {
  const RED = useTexts();
  const download = {
    percent: 57,
    bytes: 570 * MEBIBYTE,
    total: 1000 * MEBIBYTE,
    bytesPerSecond: 112 * MEBIBYTE,
  };
  const unknown = { ...download, percent: null, total: null };

  it('shows progress and rate', () => {
    assert.equal(textOfProgress(RED, download), '57 % · 112 MiB/s');
    assert.equal(textOfProgress(RED, unknown), '570 MiB · 112 MiB/s');
  });

  it('omits the rate to show how many other messages wait', () => {
    assert.equal(textOfProgress(RED, download, 12), '57 % (+12)');
    assert.equal(textOfProgress(RED, unknown, 12), '570 MiB (+12)');
  });

  it('says that no data arrives', () => {
    const text = words('server', 'progress.noData');
    assert.equal(textOfProgress(RED, { ...download, bytesPerSecond: 0 }), text);
    assert.equal(textOfProgress(RED, { ...unknown, bytesPerSecond: 0 }), text);
    assert.equal(textOfProgress(RED, { ...download, bytesPerSecond: 0 }, 12), '57 % (+12)');
  });

  it('omits the rate if there is no room for it', () => {
    const [bytes, bytesPerSecond] = [1013 * 1024, 1005 * 1024];
    assert.equal(textOfProgress(RED, { ...unknown, bytes, bytesPerSecond }), '1013 KiB');
  });

  it('never exceeds 20 characters', () => {
    const units = [0, 1, 2, 3, 4].map((power) => 1024 ** power);
    const sizes = units.flatMap((unit) =>
      [0, 1, 9.9, 99, 1013, 1023.4].map((size) => Math.floor(size * unit)),
    );
    const texts = sizes.flatMap((bytes) =>
      sizes.flatMap((bytesPerSecond) =>
        [0, 99_999].map((others) => textOfProgress(RED, { ...unknown, bytes, bytesPerSecond }, others)),
      ),
    );
    for (const bytesPerSecond of sizes) {
      for (const percent of [0, 99, 100]) {
        for (const others of [0, 1, 99_999]) {
          texts.push(textOfProgress(RED, { ...download, percent, bytesPerSecond }, others));
        }
      }
    }
    assert.deepEqual(
      texts.filter((text) => text.length > 20),
      [],
    );
  });

  it('says at 100 % that the node is checking the download', () => {
    assert.equal(textOfProgress(RED, { ...download, percent: 100 }), words('server', 'progress.checking'));
  });
});
