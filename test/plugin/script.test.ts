import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { transformSync } from 'esbuild';
import { root } from '../support/root';

const file = path.join(root, 'plugin', 'node-red.js');
const script = readFileSync(file, 'utf8');

describe('The script of the plugin in Stash', () => {
  it('writes what a page tells as one line, with numbers, which Stash hands over as texts', () => {
    const lines: string[] = [];
    const player = { id: 'a', name: 'Fire\n"fox"', scene: '1', state: 'playing', extra: 'x' };
    const numbers = { count: '3', position: '12.5', seconds: '0' };
    const result = vm.runInNewContext(script, {
      input: { Args: { player: { ...player, ...numbers } } },
      log: { Trace: (line: string) => lines.push(line) },
    }) as unknown;
    assert.equal(JSON.stringify(result), '{"Output":"told"}');
    assert.deepEqual(lines, [
      'node-red-stash {"player":{"id":"a","name":"Fire\\n\\"fox\\"","scene":"1","state":"playing","count":3,"position":12.5,"seconds":0}}',
    ]);
  });

  it('is in the JavaScript that v0.25 runs', () => {
    const written = (target: string) => transformSync(script, { target }).code;
    assert.equal(written('es5'), written('esnext'));
    // Since 2017.
    assert.doesNotMatch(script, /,\s*\)/);
  });
});
