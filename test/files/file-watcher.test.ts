import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sinon from 'sinon';
import { FileWatcher } from '../../src/files/file-watcher';
import { usualTemporaryNames } from '../../src/files/temporary-names';
import { type Ended, WatchedPath } from '../../src/files/watched-path';
import { useFolder } from '../support/folder';
import { until } from '../support/waiting';

/** The longest waits are long enough that a busy machine answers sooner. */
const TIMES = { interval: 20, longestInterval: 60, answer: 250, outOfSight: 600, abandoned: 60_000 };
/** Long enough that no pause of a busy machine between two writes is as long. */
const SETTLE = 400;

describe('A file watcher', () => {
  const folder = useFolder();
  let watcher: FileWatcher;
  let ends: Ended[];
  let saw: sinon.SinonSpy;

  const at = (...names: string[]) => path.join(folder(), ...names);
  const write = (...names: string[]) => {
    mkdirSync(path.dirname(at(...names)), { recursive: true });
    writeFileSync(at(...names), 'content');
    return at(...names);
  };
  const watch = (file: string, settle = SETTLE) => {
    // A watch that a test leaves behind must not tell the next one.
    const own = ends;
    return watcher.watch(file, { settle, temporaryNames: usualTemporaryNames }, (ended) => own.push(ended));
  };
  /** Waits until a look has seen something. */
  const firstSight = () => until(() => saw.called);
  /** Waits until all of these have ended. */
  const ended = async (...paths: string[]) => {
    await until(() => paths.every((one) => ends.some((end) => end.path === one)));
    return paths.map((one) => ends.find((end) => end.path === one)?.outcome);
  };
  /** Changes a file for twice as long as it would take to settle. */
  const change = async (one: () => void) => {
    const until = performance.now() + 2 * SETTLE;
    while (performance.now() < until) {
      one();
      await sleep(10);
    }
  };

  /** Makes all files look older: nothing can set the time at which a file got its name. */
  const age = (by: number) => {
    for (const name of ['stat', 'lstat'] as const) {
      const real = fs[name] as (file: string) => Promise<Stats>;
      sinon.stub(fs, name).callsFake((async (file: string) => {
        const stats = await real(file);
        return Object.assign(stats, { mtimeMs: stats.mtimeMs - by, ctimeMs: stats.ctimeMs - by });
      }) as never);
    }
  };

  beforeEach(() => {
    watcher = new FileWatcher(TIMES);
    ends = [];
    saw = sinon.spy(WatchedPath.prototype, 'saw');
  });
  afterEach(() => {
    sinon.restore();
  });

  it('finds a file complete that has not changed for the time, not sooner', async () => {
    const since = performance.now();
    const file = write('a.mp4');
    watch(file);
    assert.deepEqual(await ended(file), ['complete']);
    assert.ok(performance.now() - since >= SETTLE);
  });

  for (const [what, grow] of [
    [
      'that grows',
      (file: string) => {
        appendFileSync(file, 'more');
      },
    ],
    [
      'of which only the time of change changes',
      (file: string) => {
        utimesSync(file, new Date(), new Date(1_000_000_000_000 + Math.random() * 1e9));
      },
    ],
  ] as const) {
    it(`waits for a file ${what}`, async () => {
      const file = write('a.mp4');
      watch(file);
      await change(() => {
        grow(file);
      });
      assert.deepEqual(ends, []);
      assert.deepEqual(await ended(file), ['complete']);
    });
  }

  it('waits for a folder while a file anywhere in it changes, is added or is removed', async () => {
    const deep = write('Series', 'Season 1', 'a.mp4');
    const series = at('Series');
    watch(series);
    await change(() => {
      appendFileSync(deep, 'more');
    });
    let count = 0;
    await change(() => write('Series', 'Season 2', `${(count += 1)}.mp4`));
    assert.deepEqual(ends, []);
    rmSync(at('Series', 'Season 2'), { recursive: true });
    assert.deepEqual(await ended(series), ['complete']);
  });

  it('ends at once for a path that it cannot see, also for one that is none of this system', async () => {
    const file = write('a.mp4');
    const unseen = [at('missing.mp4'), at('missing', 'a.mp4'), path.join(file, 'b.mp4')];
    for (const one of unseen) watch(one, 60_000);
    assert.deepEqual(await ended(...unseen), ['unseen', 'unseen', 'unseen']);
  });

  it('ends for a file that is deleted half-way', async () => {
    const [file] = [write('a.mp4'), write('another.mp4')];
    watch(file, 60_000);
    await firstSight();
    rmSync(file);
    assert.deepEqual(await ended(file), ['gone']);
  });

  it('goes on with a file that is replaced by another one', async () => {
    const file = write('a.mp4');
    watch(file);
    await firstSight();
    const stat = fs.stat as (file: string) => Promise<Stats>;
    rmSync(file);
    const stub = sinon.stub(fs, 'stat').callsFake((async (one: string) => {
      // The other one comes right after the first look that misses it.
      stub.restore();
      try {
        return await stat(one);
      } finally {
        writeFileSync(file, 'other content');
      }
    }) as never);
    assert.deepEqual(await ended(file), ['complete']);
  });

  it('ends for a file that is deleted with its folder', async () => {
    const file = write('Holiday', 'a.mp4');
    watch(file, 60_000);
    await firstSight();
    rmSync(at('Holiday'), { recursive: true });
    assert.deepEqual(await ended(file), ['gone']);
  });

  const renamed: [temporary: string[], final: string[]][] = [
    [['a.mp4.part'], ['a.mp4']],
    [['_UNPACK_Holiday'], ['Holiday']],
    [
      ['_UNPACK_Holiday', 'a.mp4'],
      ['Holiday', 'a.mp4'],
    ],
    [
      ['_UNPACK_Holiday', 'a.mp4.tmp'],
      ['Holiday', 'a.mp4'],
    ],
  ];
  for (const [temporary, final] of renamed) {
    it(`waits until ${temporary.join('/')} becomes ${final.join('/')}, which it watches then`, async () => {
      const file = at(...temporary);
      if (temporary.at(-1)?.includes('.')) write(...temporary);
      else write(...temporary, 'a.mp4');
      watch(file);
      await sleep(2 * SETTLE);
      assert.deepEqual(ends, []);

      for (const [index, name] of temporary.entries()) {
        const rest = temporary.slice(index + 1);
        if (name !== final[index])
          renameSync(at(...final.slice(0, index), name), at(...final.slice(0, index + 1)));
        await sleep(rest.length * 2 * TIMES.interval);
      }
      assert.deepEqual(await ended(at(...final)), ['complete']);
    });
  }

  it('watches the final name if the temporary one is gone before the first look', async () => {
    const file = write('a.mp4');
    watch(`${file}.part`);
    assert.deepEqual(await ended(file), ['complete']);
  });

  it('ends with the given path if a temporary name is gone and the final one is not there', async () => {
    const [file] = [write('a.mp4.part'), write('another.mp4')];
    watch(file);
    await firstSight();
    rmSync(file);
    assert.deepEqual(await ended(file), ['gone']);
  });

  for (const [what, file] of [
    ['that is still to come', 'b.mp4'],
    ['that was created before it', 'a.mp4'],
  ] as const) {
    it(`waits for a file ${what} while one with a temporary name lies beside it`, async () => {
      write('a.mp4');
      const temporary = write(`${file}.aria2`);
      watch(at(file));
      await sleep(2 * SETTLE);
      assert.deepEqual(ends, []);
      renameSync(temporary, at(file));
      assert.deepEqual(await ended(at(file)), ['complete']);
    });
  }

  it('waits for a folder while there is a temporary name in it', async () => {
    const temporary = write('Holiday', 'videos', '.a.mp4.Xy12ab');
    watch(at('Holiday'));
    await sleep(2 * SETTLE);
    assert.deepEqual(ends, []);
    renameSync(temporary, at('Holiday', 'videos', 'a.mp4'));
    assert.deepEqual(await ended(at('Holiday')), ['complete']);
  });

  it('waits for a file with a temporary name although its time of change is old, as after unpacking', async () => {
    const old = new Date('2019-01-01');
    const part = write('a.mp4.part');
    const unpacked = write('_UNPACK_Holiday', 'a.mp4');
    for (const file of [part, unpacked]) utimesSync(file, old, old);
    mkdirSync(at('_UNPACK_Empty'));
    const all = [part, unpacked, at('_UNPACK_Holiday'), at('Holiday'), at('_UNPACK_Empty'), at('Empty')];
    for (const one of all) watch(one);
    await sleep(3 * SETTLE);
    assert.deepEqual(ends, []);
  });

  it('finds a file that gets its final name during a look', async () => {
    const [part, file] = [write('a.mp4.part'), at('a.mp4')];
    watch(file);
    await firstSight();
    const { readdir } = fs;
    sinon.stub(fs, 'readdir').callsFake((async (folder: string) => {
      const names = await readdir(folder);
      if (names.includes('a.mp4.part')) renameSync(part, file);
      return names;
    }) as never);
    assert.deepEqual(await ended(file), ['complete']);
  });

  it('waits for a temporary file that grows, although the clock of its share is wrong', async () => {
    const [part, file] = [write('a.mp4.part'), at('a.mp4')];
    age(2 * TIMES.abandoned);
    watch(file);
    await change(() => {
      appendFileSync(part, 'more');
    });
    assert.deepEqual(ends, []);
    renameSync(part, file);
    assert.deepEqual(await ended(file), ['complete']);
  });

  it('waits for an unfinished file whose share is hours ahead, and not for one that was left behind there', async () => {
    const part = write('a.mp4.part');
    age(-2 * TIMES.abandoned);
    watch(part);
    await sleep(2 * SETTLE);
    assert.deepEqual(ends, []);
    watcher = new FileWatcher({ ...TIMES, abandoned: SETTLE });
    watch(part);
    assert.deepEqual(await ended(part), ['complete']);
  });

  it('does not call a missing file complete because of a temporary one that was left behind', async () => {
    write('a.mp4.part');
    age(2 * TIMES.abandoned);
    watch(at('a.mp4'));
    assert.deepEqual(await ended(at('a.mp4')), ['gone']);
  });

  it('waits for a folder in which something cannot be read', async () => {
    const growing = write('Holiday', 'a.mp4');
    write('Holiday', 'locked', 'b.mp4');
    const lstat = fs.lstat as (file: Buffer) => Promise<Stats>;
    sinon.stub(fs, 'lstat').callsFake((async (file: Buffer) => {
      if (String(file).endsWith('b.mp4'))
        throw Object.assign(new Error(), { code: 'EACCES', syscall: 'lstat' });
      return await lstat(file);
    }) as never);
    watch(at('Holiday'));
    await change(() => {
      appendFileSync(growing, 'more');
    });
    assert.deepEqual(ends, []);
    assert.deepEqual(await ended(at('Holiday')), ['complete']);
  });

  for (const [what, create] of [
    [
      'whose name is not UTF-8',
      () => {
        const file = Buffer.concat([
          Buffer.from(at('Holiday/caf')),
          Buffer.from([0xe9]),
          Buffer.from('.mp4'),
        ]);
        writeFileSync(file, 'content');
        return file;
      },
    ],
    [
      'that a link leads to',
      () => {
        const file = write('elsewhere', 'b.mp4');
        symlinkSync(file, at('Holiday', 'b.mp4'));
        return file;
      },
    ],
    [
      'in a folder that a link leads to',
      () => {
        const file = write('elsewhere', 'b.mp4');
        symlinkSync('../elsewhere', at('Holiday', 'link'));
        symlinkSync('..', at('elsewhere', 'circle'));
        return file;
      },
    ],
  ] as const) {
    it(`waits for a folder while a file grows ${what}`, async () => {
      write('Holiday', 'a.mp4');
      const growing = create();
      watch(at('Holiday'));
      await change(() => {
        appendFileSync(growing, 'more');
      });
      assert.deepEqual(ends, []);
      assert.deepEqual(await ended(at('Holiday')), ['complete']);
    });
  }

  it('looks at nothing above a folder because of a name of dots', async () => {
    const file = write('Holiday', '...part');
    write('Holiday', 'a.mp4');
    watch(file);
    await firstSight();
    rmSync(file);
    assert.deepEqual(await ended(file), ['gone']);
  });

  it('does not let a large folder delay a file beside it', async () => {
    for (let index = 0; index < 300; index += 1) write('Large', `${index}.mp4`);
    const file = write('a.mp4');
    const lstat = fs.lstat as (file: Buffer) => Promise<Stats>;
    sinon.stub(fs, 'lstat').callsFake((async (one: Buffer) => {
      await sleep(10);
      return await lstat(one);
    }) as never);
    for (const one of [at('Large'), file]) watch(one);
    assert.deepEqual(await ended(file), ['complete']);
    assert.equal(ends[0]?.path, file);
  });

  it('counts no look that began before somebody else waits, too', async () => {
    const file = write('a.mp4');
    const { renew } = watch(file);
    await sleep(SETTLE - 2 * TIMES.interval);
    const looks: (() => void)[] = [];
    const stat = fs.stat as (file: string) => Promise<Stats>;
    sinon.stub(fs, 'stat').callsFake((async (one: string) => {
      const stats = await stat(one);
      await new Promise<void>((resolve) => looks.push(resolve));
      return stats;
    }) as never);
    await until(() => looks.length > 0);
    // Long enough for the file to settle, and shorter than the longest wait for an answer.
    await sleep(TIMES.answer / 2);
    renew();
    appendFileSync(file, 'more');
    sinon.restore();
    for (const look of looks) look();
    await sleep(SETTLE / 2);
    assert.deepEqual(ends, []);
    assert.deepEqual(await ended(file), ['complete']);
  });

  it('counts no miss that began before somebody else waits, too', async () => {
    const file = at('a.mp4');
    write('another.mp4');
    const stat = fs.stat as (file: string) => Promise<Stats>;
    const stub = sinon.stub(fs, 'stat').callsFake((async (one: string) => {
      stub.restore();
      try {
        return await stat(one);
      } finally {
        write('a.mp4');
        renew();
      }
    }) as never);
    const { renew } = watch(file);
    assert.deepEqual(await ended(file), ['complete']);
  });

  it('ends a look at a large folder when nobody waits any more', async () => {
    for (let index = 0; index < 300; index += 1) write('Large', `${index}.mp4`);
    const lstat = sinon.spy(fs, 'lstat');
    const { forget } = watch(at('Large'));
    await until(() => lstat.callCount > 10);
    forget();
    const file = write('a.mp4');
    watch(file);
    await ended(file);
    assert.ok(lstat.callCount < 300, `${lstat.callCount} entries`);
  });

  it('does not wait for temporary names that were left behind long ago', async () => {
    for (const name of ['a.mp4.part', 'b.mp4.part']) write('Holiday', name);
    age(2 * TIMES.abandoned);
    const [file, beside] = [at('Holiday', 'a.mp4.part'), write('Holiday', 'b.mp4')];
    for (const one of [file, beside, at('Holiday')]) watch(one);
    assert.deepEqual(await ended(file, beside, at('Holiday')), ['complete', 'complete', 'complete']);
  });

  it('calls nobody after a watch was forgotten', async () => {
    const [one, two] = [write('a.mp4'), write('b.mp4')];
    watch(one).forget();
    watch(two);
    await ended(two);
    assert.equal(ends.length, 1);
  });

  it('looks at each path at most once in an interval, at 20 files at a time', async () => {
    const files = Array.from({ length: 60 }, (_, index) => write(`folder ${index}`, 'a.mp4'));
    const looks = new Map<string, number[]>();
    let [asked, most] = [0, 0];
    for (const name of ['stat', 'readdir', 'readlink'] as const) {
      const real = fs[name] as (file: string) => Promise<unknown>;
      sinon.stub(fs, name).callsFake((async (file: string) => {
        if (name === 'stat') looks.set(file, [...(looks.get(file) ?? []), performance.now()]);
        most = Math.max(most, (asked += 1));
        await sleep(1);
        return await real(file).finally(() => {
          asked -= 1;
        });
      }) as never);
    }
    for (const file of files) watch(file);
    await ended(...files);

    assert.ok(most <= 20, `${most} at a time`);
    for (const times of looks.values()) {
      for (const [index, time] of times.entries()) {
        const since = times[index - 1];
        assert.ok(since === undefined || time - since >= TIMES.interval - 1, `${time - (since ?? 0)} ms`);
      }
    }
  });

  describe('of a share that does not answer', () => {
    let answer: () => void;
    let questions: number;
    /** The table of mounts. */
    let table: sinon.SinonStub;

    /** Lets the folder `share` be a share, and not answer any more. */
    function hang(): void {
      const answers: (() => void)[] = [];
      answer = () => {
        sinon.restore();
        for (const one of answers) one();
      };
      for (const name of ['stat', 'lstat', 'readdir', 'readlink'] as const) {
        const real = fs[name] as (file: string | Buffer, options: unknown) => Promise<unknown>;
        sinon.stub(fs, name).callsFake((async (file: string | Buffer, options: unknown) => {
          if (String(file).startsWith(at('share'))) {
            questions += 1;
            await new Promise<void>((resolve) => answers.push(resolve));
          }
          return await real(file, options);
        }) as never);
      }
    }

    before(function () {
      // Only there does the watcher know the roots of all shares.
      if (process.platform !== 'linux') this.skip();
    });
    beforeEach(() => {
      questions = 0;
      table = sinon.stub(fs, 'readFile').callThrough().withArgs('/proc/self/mountinfo', 'utf8');
      table.resolves(`1 1 0:1 / / rw - ext4 disk rw\n2 1 0:2 / ${at('share')} rw - nfs nas:/ rw\n`);
    });

    it('ends for its paths, with few questions, and goes on with those of other disks', async () => {
      const shared = Array.from({ length: 100 }, (_, index) => at('share', `folder ${index}`, 'a.mp4'));
      const local = write('a.mp4');
      hang();
      for (const one of [...shared, local]) watch(one);
      assert.deepEqual(new Set(await ended(...shared)), new Set(['unseen']));
      assert.deepEqual(await ended(local), ['complete']);
      assert.ok(questions <= 4, `${questions} questions`);
      answer();
    });

    it('waits for the share a while if it has seen the file', async () => {
      watcher = new FileWatcher({ ...TIMES, outOfSight: 3000 });
      const file = write('share', 'a.mp4');
      // A look that has begun before may fail, too.
      const since = performance.now();
      watch(file, 60_000);
      await firstSight();
      hang();
      assert.deepEqual(await ended(file), ['unseen']);
      assert.ok(performance.now() - since >= 3000);
      answer();
    });

    for (const [what, one] of [
      ['its root', () => at('share')],
      [
        'a link to a file on it',
        () => {
          symlinkSync(at('share', 'a.mp4'), at('link.mp4'));
          return at('link.mp4');
        },
      ],
      ['a folder above it', () => folder()],
    ] as const) {
      it(`does not hold up files elsewhere if ${what} is watched, too`, async () => {
        write('share', 'a.mp4');
        const [other, growing] = [one(), write('growing', 'b.mp4')];
        hang();
        watch(other, 60_000);
        await sleep(2 * TIMES.answer);
        watch(growing);
        await change(() => {
          appendFileSync(growing, 'more');
        });
        assert.equal(ends.filter(({ path: ended }) => ended === growing).length, 0);
        assert.deepEqual(await ended(growing), ['complete']);
        answer();
      });
    }

    for (const [what, one] of [
      ['a file on it', () => at('share', 'a.mp4')],
      ['its root', () => at('share')],
      [
        'a link to a file on it',
        () => {
          symlinkSync(at('share', 'a.mp4'), at('link.mp4'));
          return at('link.mp4');
        },
      ],
    ] as const) {
      it(`waits a while for ${what} if it is not mounted any more`, async () => {
        watcher = new FileWatcher({ ...TIMES, outOfSight: 3000 });
        write('share', 'a.mp4');
        const file = one();
        const since = performance.now();
        watch(file, 60_000);
        await firstSight();
        rmSync(at('share', 'a.mp4'));
        table.resolves('1 1 0:1 / / rw - ext4 disk rw\n');
        assert.deepEqual(await ended(file), ['unseen']);
        assert.ok(performance.now() - since >= 3000);
      });
    }

    it('looks again soon after the share was slow for a moment', async () => {
      watcher = new FileWatcher({ ...TIMES, answer: 10_000 });
      const file = write('share', 'a.mp4');
      watch(file);
      await firstSight();
      hang();
      await sleep(1000);
      const since = performance.now();
      answer();
      assert.deepEqual(await ended(file), ['complete']);
      assert.ok(performance.now() - since < 3000);
    });

    it('goes on when the share is back', async () => {
      const file = write('share', 'a.mp4');
      watch(file);
      await firstSight();
      hang();
      await sleep(1.5 * TIMES.answer);
      answer();
      assert.deepEqual(await ended(file), ['complete']);
    });
  });
});
