import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { plugin } from '../../src/contract/plugin';
import { root } from '../support/root';

describe('The package source of the plugin', () => {
  it('offers the files of the plugin, in the version that dialogs look for', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'node-red-stash-'));
    try {
      execFileSync(process.execPath, [path.join(root, 'scripts', 'plugin-source.mjs'), folder]);
      const index = readFileSync(path.join(folder, 'index.yml'), 'utf8');
      const zip = readFileSync(path.join(folder, `${plugin.id}.zip`));
      assert.ok(index.startsWith(`- id: ${plugin.id}\n`));
      assert.match(index, new RegExp(`^  version: ${plugin.version}$`, 'm'));
      assert.match(index, new RegExp(`^  path: ${plugin.id}.zip$`, 'm'));
      assert.match(index, new RegExp(`^  sha256: ${createHash('sha256').update(zip).digest('hex')}$`, 'm'));
      const archive = await fromBufferPromise(zip);
      const files: string[] = [];
      for await (const entry of archive.eachEntry()) {
        const content = await buffer(await archive.openReadStreamPromise(entry));
        assert.deepEqual(content, readFileSync(path.join(root, 'plugin', entry.fileName)));
        files.push(entry.fileName);
      }
      assert.deepEqual(files, readdirSync(path.join(root, 'plugin')).sort());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
