import assert from 'node:assert/strict';
import type { NodeAPI } from 'node-red';
import { wordsOfProgress } from '../src/flow/words';
import { words } from './words';

// All that is asked of Node-RED.
const RED = {
  _: (key: string, values?: Record<string, unknown>) => words('server', key.replace(/^.*:/, ''), values),
} as unknown as NodeAPI;
const MEBIBYTE = 2 ** 20;

describe('How far a download is', () => {
  const download = {
    percent: 57,
    bytes: 570 * MEBIBYTE,
    total: 1000 * MEBIBYTE,
    bytesPerSecond: 112 * MEBIBYTE,
  };
  const unknown = { ...download, percent: null, total: null };

  it('is told with its rate', () => {
    assert.equal(wordsOfProgress(RED, download), '57 % · 112 MiB/s');
    assert.equal(wordsOfProgress(RED, unknown), '570 MiB · 112 MiB/s');
  });

  it('finds room under a node also where others wait', () => {
    assert.equal(wordsOfProgress(RED, download, 12), '57 % (+12)');
    assert.equal(wordsOfProgress(RED, unknown, 12), '570 MiB (+12)');
  });

  it('is that all is there, and is looked at', () => {
    assert.equal(wordsOfProgress(RED, { ...download, percent: 100 }), words('server', 'job.checking'));
  });
});
