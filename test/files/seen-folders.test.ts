import assert from 'node:assert/strict';
import child_process, { type ChildProcess, type ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { restore, stub } from 'sinon';
import { seenFolders } from '../../src/files/seen-folders';
import { useFolder } from '../support/folder';
import { collectGarbage } from '../support/garbage';
import { until } from '../support/waiting';

describe('Which folders this machine sees', () => {
  const folder = useFolder();
  const never = new AbortController().signal;

  afterEach(() => {
    restore();
  });

  it('is told in the order of the question', async () => {
    const file = path.join(folder(), 'a.mp4');
    writeFileSync(file, '');
    const seen = await seenFolders([file, folder(), path.join(folder(), 'missing')], 10_000, never);
    assert.deepEqual(seen, [false, true, false]);
  });

  describe('if a share does not answer', () => {
    let child: ChildProcess | undefined;

    beforeEach(() => {
      const silent = path.join(folder(), 'silent.js');
      writeFileSync(silent, "process.on('message', () => {});");
      const { fork } = child_process;
      child = undefined;
      stub(child_process, 'fork').callsFake(((_file: string, words: string[], options: ForkOptions) => {
        child = fork(silent, words, options);
        return child;
      }) as typeof fork);
    });

    it('is unknown after the time limit, also when Node.js collects garbage meanwhile', async () => {
      const begun = performance.now();
      const asked = seenFolders([folder()], 500, AbortSignal.timeout(5_000));
      await until(() => child !== undefined);
      await collectGarbage();
      assert.equal(await asked, undefined);
      assert.ok(performance.now() - begun < 4_000);
      if (child?.signalCode === null) await once(child, 'exit');
      assert.equal(child?.signalCode, 'SIGKILL');
    });

    it('ends with the reason of the signal', async () => {
      const ending = new AbortController();
      const reason = new Error('closed');
      const asked = seenFolders([folder()], 10_000, ending.signal);
      ending.abort(reason);
      await assert.rejects(asked, reason);
    });
  });
});
