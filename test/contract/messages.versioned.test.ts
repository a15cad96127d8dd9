import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkFrozen, readFrozen } from './frozen';
import { fitsShape, shapeOf } from './shape';
import type { Sent, Stage } from './stage';
import { Flow } from '../support/flow';
import { samples } from '../support/nodes';
import { helper } from '../support/runtime';
import { hasten, TEMPO } from '../support/tempo';
import { FakeStash } from '../fake-stash/fake-stash';
import { timing } from '../../src/timing';

const RULE =
  'The message is a contract: a property keeps its name, its JSON type and its place, because the flows of users read it. ' +
  'What was always there is still always there.';

const cases = Object.fromEntries(samples().map(([name, { messages }]) => [`stash-${name}`, messages]));

describe('The contract of the messages', () => {
  hasten();
  before(() => {
    timing.jobs.progressSample = 1;
  });
  let stash: FakeStash;
  let again: FakeStash | undefined;
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'node-red-stash-'));
  });
  afterEach(async () => {
    await helper.unload();
    await stash.stop();
    await again?.stop();
    again = undefined;
    rmSync(folder, { recursive: true });
  });

  for (const [type, ownCases] of Object.entries(cases)) {
    for (const [name, given] of Object.entries(ownCases)) {
      it(`is kept by ${type}: ${name}`, async () => {
        const { options = {}, run } = typeof given === 'function' ? { run: given } : given;
        const all = { tempo: TEMPO, release: 'v0.31.0', jobSeconds: 0.2 * TEMPO, ...options } as const;
        stash = await FakeStash.start(all);
        const start: Stage['start'] = (properties = {}, more = {}) =>
          Flow.start({ type, properties, server: { url: stash.url, pause: '0' }, ...more });
        const sent = await run({
          stash,
          folder,
          start,
          ask: async (properties, msg) => await (await start(properties)).ask({ ...msg, kept: true }),
          restart: async () => {
            const { port } = stash;
            await stash.stop();
            again = await FakeStash.start({ ...all, port });
          },
        });
        const messages = [sent].flat();
        assert.ok(messages.length > 0);
        const found = shapeOf(messages.map(visible));
        checkFrozen('messages.json', found, { rule: RULE, fits: fitsShape, part: [type, name] });
      });
    }
  }

  it('covers every node, and has no case that nothing checks', async () => {
    stash = await FakeStash.start();
    const named = (all: Record<string, object>) =>
      Object.entries(all).flatMap(([type, list]) => Object.keys(list).map((name) => `${type}: ${name}`));
    assert.deepEqual(named(readFrozen('messages.json') as typeof cases).sort(), named(cases).sort());
  });
});

/** Returns a message and where it came out, without what Node-RED itself adds: that depends on its release. */
function visible({ output, msg }: Sent): object {
  const { error } = msg;
  const own = Object.fromEntries(Object.entries(msg).filter(([name]) => !['_msgid', 'error'].includes(name)));
  const at = output === undefined ? 'Catch' : `output ${output}`;
  return { at, ...own, ...(error && { error: { message: error.message, code: error.code } }) };
}
