import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { transformSync } from 'esbuild';
import { root } from '../support/root';

const file = path.join(root, 'plugin', 'node-red.js');
const script = readFileSync(file, 'utf8');

describe('The script of the plugin in Stash', () => {
  /** Runs it with these arguments. @returns the lines that it writes. */
  function run(args: object): string[] {
    const lines: string[] = [];
    const log = { Trace: (line: string) => lines.push(line) };
    const result = vm.runInNewContext(script, { input: { Args: args }, log }) as unknown;
    assert.equal(JSON.stringify(result), '{"Output":"told"}');
    return lines;
  }

  it('writes what a page tells as one line, with numbers, which Stash hands over as texts', () => {
    const player = { id: 'a', name: 'Fire\n"fox"', scene: '1', state: 'playing', extra: 'x' };
    const numbers = { count: '3', position: '12.5', seconds: '0' };
    assert.deepEqual(run({ player: { ...player, ...numbers } }), [
      'node-red-stash {"player":{"id":"a","name":"Fire\\n\\"fox\\"","scene":"1","state":"playing","count":3,"position":12.5,"seconds":0}}',
    ]);
  });

  it('writes which hook has called it, by the names of every release, without the values that were set', () => {
    const fields = ['id', 'title'];
    const line = (change: string) => [`node-red-stash {"change":${change}}`];
    const changed = line('{"hook":"Scene.Update.Post","id":3,"fields":["id","title"],"sources":[]}');
    const newer = { id: 3, type: 'Scene.Update.Post', input: { id: '3', title: 'x' }, inputFields: fields };
    assert.deepEqual(run({ hookContext: newer }), changed);
    const older = { ID: 3, Type: 'Scene.Update.Post', Input: { ID: '3', Title: 'x' }, InputFields: fields };
    assert.deepEqual(run({ hookContext: older }), changed);
    const scanned = { id: 4, type: 'Scene.Create.Post', input: null, inputFields: null };
    assert.deepEqual(
      run({ hookContext: scanned }),
      line('{"hook":"Scene.Create.Post","id":4,"fields":[],"sources":[]}'),
    );
    const merged = { id: 5, type: 'Tag.Merge.Post', input: { source: ['6'], destination: '5' } };
    assert.deepEqual(
      run({ hookContext: merged }),
      line('{"hook":"Tag.Merge.Post","id":5,"fields":[],"sources":["6"]}'),
    );
  });

  it('is in the JavaScript that v0.25 runs', () => {
    const written = (target: string) => transformSync(script, { target }).code;
    assert.equal(written('es5'), written('esnext'));
    // Since 2017.
    assert.doesNotMatch(script, /,\s*\)/);
  });
});
