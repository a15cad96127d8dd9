import assert from 'node:assert/strict';
import childProcess, { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import sinon from 'sinon';
import { FileWatches } from '../../src/files/file-watches';
import type { Ended } from '../../src/files/watched-path';
import { timing } from '../../src/timing';
import { useFolder } from '../support/folder';
import { hasten } from '../support/tempo';
import { until } from '../support/waiting';

const OPTIONS = { settle: 60_000, temporaryNames: '' };

describe('The process that watches files', () => {
  hasten();
  before(() => {
    timing.files.answer = 1000;
  });
  const folder = useFolder();
  let watches: FileWatches;
  let ends: Ended[];
  let warn: sinon.SinonStub;
  let processes: ChildProcess[];
  let watched: number[];

  const write = (name: string) => {
    const file = path.join(folder(), name);
    writeFileSync(file, 'content');
    return file;
  };
  const watch = (file: string, options: object = {}) => {
    // A watch that a test leaves behind must not tell the next one.
    const own = ends;
    const one = watches.watch(file, { ...OPTIONS, ...options }, (ended) => own.push(ended));
    watched.push(one);
    return one;
  };
  /** Waits until the process watches. */
  const started = async (): Promise<ChildProcess> => {
    const file = write('started.mp4');
    watch(file, { settle: 1 });
    await until(() => ends.some((ended) => ended.path === file));
    ends.splice(0, ends.length, ...ends.filter((ended) => ended.path !== file));
    const last = processes.at(-1);
    assert.ok(last);
    return last;
  };
  const warnings = () => warn.args.map(([text]) => String(text));

  beforeEach(() => {
    watches = new FileWatches();
    ends = [];
    processes = [];
    watched = [];
    warn = sinon.stub(process, 'emitWarning');
    const { fork } = childProcess;
    sinon.stub(childProcess, 'fork').callsFake((...given: Parameters<typeof fork>) => {
      const one = fork(...given);
      processes.push(one);
      return one;
    });
  });
  afterEach(() => {
    sinon.restore();
    for (const one of watched) watches.forget(one);
    for (const one of processes) one.removeAllListeners().kill('SIGKILL');
  });

  it('tells how each watch has ended', async () => {
    const file = write('a.mp4');
    watch(file, { settle: 1 });
    watch(path.join(folder(), 'missing.mp4'));
    await until(() => ends.length === 2);
    assert.deepEqual(
      new Set(ends),
      new Set([
        { outcome: 'complete', path: file },
        { outcome: 'unseen', path: path.join(folder(), 'missing.mp4') },
      ]),
    );
    assert.equal(processes.length, 1);
    assert.deepEqual(warnings(), []);
  });

  it('gets nothing of the environment of Node-RED, which may hold secrets', async function () {
    if (process.platform !== 'linux') this.skip();
    const { pid } = await started();
    const environment = readFileSync(`/proc/${String(pid)}/environ`, 'utf8');
    const names = environment.split('\0').flatMap((one) => one.split('=', 1)[0] || []);
    // Node.js adds its own.
    assert.deepEqual(
      names.filter((name) => !name.startsWith('NODE_')),
      ['UV_THREADPOOL_SIZE'],
    );
  });

  it('leaves the processor to Node-RED', async () => {
    const { pid } = await started();
    const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = os.constants.priority;
    assert.equal(os.getPriority(pid), Math.min(os.getPriority() + PRIORITY_BELOW_NORMAL, PRIORITY_LOW));
  });

  it('ends when nothing is watched, and starts again for the next path', async () => {
    const first = await started();
    await once(first, 'exit');
    await started();
    assert.equal(processes.length, 2);
    assert.deepEqual(warnings(), []);
  });

  it('does not call for a watch that was forgotten', async () => {
    watches.forget(watch(write('a.mp4'), { settle: 1 }));
    await started();
    assert.deepEqual(ends, []);
  });

  it('does not count an end from before somebody else waits, too', async () => {
    const file = write('a.mp4');
    const id = watch(file, { settle: 1 });
    await until(() => processes.length > 0);
    const [child] = processes;
    assert.ok(child);
    // Its message has arrived, but nobody has heard it yet.
    child.prependOnceListener('message', () => {
      watches.renew(id);
    });
    await started();
    await until(() => ends.length > 0);
    assert.deepEqual(ends, [{ outcome: 'complete', path: file }]);
  });

  it('waits for a time without end', async () => {
    watch(write('a.mp4'), { settle: Infinity });
    await started();
    await started();
    assert.deepEqual(ends, []);
  });

  for (const [what, signal, reason] of [
    ['is killed', 'SIGKILL', /SIGKILL$/],
    ['does not answer', 'SIGSTOP', /does not answer$/],
  ] as const) {
    it(`holds up nothing if it ${what}: the files count as not seen, and a new process watches the next one`, async () => {
      const file = write('a.mp4');
      watch(file);
      const first = await started();
      first.kill(signal);
      await until(() => ends.length === 1);
      assert.deepEqual(ends, [{ outcome: 'unseen', path: file }]);
      const [text = ''] = warnings();
      assert.match(text, reason);
      assert.match(text, /^stash-scan cannot tell whether files are complete: /);

      await started();
      assert.equal(processes.length, 2);
      assert.equal(warnings().length, 1);
    });
  }

  it('holds up nothing if it cannot be started', async () => {
    (childProcess.fork as unknown as sinon.SinonStub).throws(new Error('no permission'));
    const files = ['a.mp4', 'b.mp4'].map((name) => write(name));
    for (const file of files) watch(file);
    await until(() => ends.length === 2);
    assert.deepEqual(
      ends,
      files.map((file) => ({ outcome: 'unseen', path: file })),
    );
    assert.deepEqual(warnings(), ['stash-scan cannot tell whether files are complete: Error: no permission']);
  });

  it('ends with Node-RED, also if that is killed', async () => {
    const script = `
      const { FileWatches } = require(${JSON.stringify(require.resolve('../../src/files/file-watches'))});
      const { fork } = require('node:child_process');
      require('node:child_process').fork = (...given) => {
        const one = fork(...given);
        process.stdout.write(String(one.pid));
        return one;
      };
      new FileWatches().watch(${JSON.stringify(write('a.mp4'))}, ${JSON.stringify(OPTIONS)}, () => {});
      setInterval(() => {}, 1000);
    `;
    const nodeRed = childProcess.spawn(process.execPath, ['-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [text] = (await once(nodeRed.stdout, 'data')) as [Buffer];
    const pid = Number(text.toString());
    assert.ok(isRunning(pid));
    nodeRed.kill('SIGKILL');
    await until(() => !isRunning(pid));
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
