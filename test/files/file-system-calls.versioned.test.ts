import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { closeSync, openSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import sinon from 'sinon';
import { check, NoAnswer, NotChecked, seenFolders } from '../../src/files/file-system-calls';
import { timing } from '../../src/timing';
import { blockEventLoop } from '../support/block';
import { useFolder } from '../support/folder';
import { until } from '../support/waiting';

/** In milliseconds: longer than an answer takes, however busy the machine is. */
const ANSWER = 500;

describe('Checks of files', () => {
  const folder = useFolder();
  const usual = timing.files.answer;
  const never = new AbortController().signal;
  const at = (...names: string[]) => path.join(folder(), ...names);
  const see = (...names: string[]) => check(at(...names), () => fs.stat(at(...names)));

  before(() => {
    timing.files.answer = ANSWER;
  });
  after(() => {
    timing.files.answer = usual;
  });
  afterEach(() => {
    sinon.restore();
  });

  it('answer in time although the process was busy when the answer came', async () => {
    const answer = see('.');
    blockEventLoop(2 * ANSWER);
    assert.ok((await answer).isDirectory());
  });

  it('tell which folders this machine sees, in the given order', async () => {
    await fs.writeFile(at('a.mp4'), '');
    const folders = [at('a.mp4'), folder(), at('missing'), 'relative'];
    assert.deepEqual(await seenFolders(folders, 10_000, never), [false, true, false, false]);
  });

  describe('on a share that hangs', () => {
    let calls: number;
    let blocked: number;
    let pipe: number | undefined;

    /** Nobody writes into the pipe, so each call for a path on the share blocks a thread, as it does on a real one. */
    beforeEach(function () {
      if (process.platform === 'win32') this.skip();
      [calls, blocked, pipe] = [0, 0, undefined];
      execFileSync('mkfifo', [at('pipe')]);
      const real = fs.stat as (file: string) => Promise<object>;
      sinon.stub(fs, 'stat').callsFake((async (file: string) => {
        if (!file.startsWith(at('share'))) return await real(file);
        calls += 1;
        blocked += 1;
        await (await fs.open(at('pipe'))).close();
        return await real(folder()).finally(() => (blocked -= 1));
      }) as never);
    });
    afterEach(async () => {
      await answer();
      if (pipe !== undefined) closeSync(pipe);
    });

    /** Lets the share work again. */
    async function answer(): Promise<void> {
      pipe ??= openSync(at('pipe'), 'r+');
      await until(() => blocked === 0);
    }

    it('take two of the four threads of Node.js, fail in time, and work again with the share; others are not checked', async () => {
      const all = Promise.allSettled(Array.from({ length: 20 }, (_, index) => see('share', String(index))));
      const local = assert.rejects(see('.'), NotChecked);
      await until(() => blocked === 2);
      assert.ok((await fs.readFile(__filename)).length > 0);
      assert.ok((await lookup('localhost')).address);

      for (const [index, result] of (await all).entries()) {
        const expected = index < 2 ? NoAnswer : NotChecked;
        assert.ok(result.status === 'rejected' && result.reason instanceof expected);
      }
      await local;
      await assert.rejects(see('.'), NotChecked);
      assert.equal(calls, 2);

      await answer();
      assert.ok((await see('share', '0')).isDirectory());
      assert.ok((await see('.')).isDirectory());
    });

    it('take one thread for a folder and everything in it, so that those elsewhere go on', async () => {
      await assert.rejects(see('share', 'a'), NoAnswer);
      await assert.rejects(see('share', 'a'), NoAnswer);
      await assert.rejects(see('share', 'a', 'b.mp4'), NoAnswer);
      assert.ok((await see('.')).isDirectory());
      assert.equal(calls, 1);
    });

    it('leave it unknown after a time limit whether this machine sees a folder, and end with a signal', async () => {
      assert.equal(await seenFolders([folder(), at('share')], 50, never), undefined);
      const ending = new AbortController();
      const seen = seenFolders([at('share', 'b')], 10_000, ending.signal);
      ending.abort(new Error('closed'));
      await assert.rejects(seen, /closed/);
    });
  });

  it('do not keep Node-RED from ending', function () {
    if (process.platform === 'win32') this.skip();
    execFileSync('mkfifo', [at('pipe')]);
    const end = (file: string) => {
      const script = `
        const { check } = require(${JSON.stringify(require.resolve('../../src/files/file-system-calls'))});
        const file = ${JSON.stringify(file)};
        void check(file, () => require('node:fs/promises').open(file));
        setTimeout(() => process.exit(3), 1200);`;
      const { status, signal } = spawnSync(process.execPath, ['-e', script], { timeout: 20_000 });
      return status ?? signal;
    };
    assert.equal(end(at('pipe')), 'SIGKILL');
    assert.equal(end(__filename), 3);
  });
});
