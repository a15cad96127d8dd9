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
import { type Ended, Settling } from '../../src/files/settling';
import { usualTemporaryNames } from '../../src/files/temporary-names';
import { timing } from '../../src/timing';
import { useFolder } from '../support/folder';
import { until } from '../support/waiting';

/** The longest waits are long enough that a busy machine answers sooner. */
const TIMES = { interval: 20, longestInterval: 60, answer: 300, outOfSight: 2_000, abandoned: 60_000 };
/** Long enough that no pause of a busy machine between two writes is as long. */
const SETTLE = 400;

describe('Settling', () => {
  const folder = useFolder();
  const usual = { ...timing.files };
  let settling: Settling;
  let ends: Ended[];
  let messages: AbortController[];
  /** The files and folders whose size and times were read. */
  let checked: string[];
  /** Takes the place of `stat` and `lstat`. */
  let stat: (real: () => Promise<Stats>, file: string) => Promise<Stats>;

  const at = (...names: string[]) => path.join(folder(), ...names);
  const write = (...names: string[]) => {
    mkdirSync(path.dirname(at(...names)), { recursive: true });
    writeFileSync(at(...names), 'content');
    return at(...names);
  };
  /** Lets a message wait for a path. */
  const wait = (file: string, settle = SETTLE): AbortController => {
    const [own, message] = [ends, new AbortController()];
    messages.push(message);
    const { signal } = message;
    settling
      .untilComplete([file], { settle, temporaryNames: usualTemporaryNames }, { signal, waiting: signal })
      .then(
        (all) => own.push(...all),
        (error: unknown) => {
          assert.equal(error, signal.reason);
        },
      );
    return message;
  };
  const ended = async (...paths: string[]) => {
    await until(() => paths.every((one) => ends.some((end) => end.path === one)));
    return paths.map((one) => ends.find((end) => end.path === one)?.outcome);
  };
  /** Waits until something has been found at a path. */
  const seen = async (file: string) => {
    await until(() => checked.includes(file));
    await sleep(TIMES.interval / 2);
  };
  /** Does something again and again, for twice as long as it would take to settle. */
  const waitsDuring = async (change: () => void) => {
    const end = performance.now() + 2 * SETTLE;
    while (performance.now() < end) {
      change();
      await sleep(10);
    }
    assert.deepEqual(ends, []);
  };
  const waitsWhileItGrows = (file: string | Buffer) =>
    waitsDuring(() => {
      appendFileSync(file, 'more');
    });
  const keepsWaiting = () => waitsDuring(() => undefined);
  /** Makes all files look older: nothing can set the time at which a file got its name. */
  const age = (by: number) => {
    stat = async (real) => {
      const stats = await real();
      return Object.assign(stats, { mtimeMs: stats.mtimeMs - by, ctimeMs: stats.ctimeMs - by });
    };
  };

  beforeEach(() => {
    Object.assign(timing.files, TIMES);
    settling = new Settling();
    [ends, messages, checked] = [[], [], []];
    stat = (real) => real();
    for (const name of ['stat', 'lstat'] as const) {
      const real = fs[name] as (file: string | Buffer) => Promise<Stats>;
      sinon.stub(fs, name).callsFake((async (file: string | Buffer) => {
        const stats = await stat(() => real(file), String(file));
        checked.push(String(file));
        return stats;
      }) as never);
    }
  });
  afterEach(() => {
    for (const message of messages) message.abort();
    sinon.restore();
    Object.assign(timing.files, usual);
  });

  it('finds a file complete that has not changed for the time, not sooner', async () => {
    const since = performance.now();
    const file = write('a.mp4');
    wait(file);
    assert.deepEqual(await ended(file), ['complete']);
    assert.ok(performance.now() - since >= SETTLE);
    assert.equal(settling.files, 0);
  });

  it('waits for a file of which only the time of change changes', async () => {
    const file = write('a.mp4');
    wait(file);
    await waitsDuring(() => {
      utimesSync(file, new Date(), new Date(1_000_000_000_000 + Math.random() * 1e9));
    });
    assert.deepEqual(await ended(file), ['complete']);
  });

  it('waits for a folder while a file anywhere in it changes, is added or is removed', async () => {
    const deep = write('Series', 'Season 1', 'a.mp4');
    wait(at('Series'));
    await waitsWhileItGrows(deep);
    let count = 0;
    await waitsDuring(() => write('Series', 'Season 2', `${(count += 1)}.mp4`));
    await waitsDuring(() => {
      rmSync(at('Series', 'Season 2', `${(count -= 1)}.mp4`), { force: true });
    });
    assert.deepEqual(await ended(at('Series')), ['complete']);
  });

  it('ends at once for what this machine does not see, also for a path of another system', async () => {
    const unseen = [at('missing', 'a.mp4'), path.join(write('a.mp4'), 'b.mp4'), 'C:\\a.mp4', at('a\0')];
    for (const one of unseen) wait(one, 60_000);
    assert.deepEqual(new Set(await ended(...unseen)), new Set(['unseen']));
  });

  it('ends for a file that is deleted with its folder', async () => {
    const file = write('Holiday', 'a.mp4');
    wait(file, 60_000);
    await seen(file);
    rmSync(at('Holiday'), { recursive: true });
    assert.deepEqual(await ended(file), ['gone']);
  });

  it('goes on with a file that is replaced by another one', async () => {
    const file = write('a.mp4');
    wait(file);
    await seen(file);
    rmSync(file);
    stat = async (real) => {
      // The other one comes right after the first check that misses it.
      stat = (another) => another();
      return await real().finally(() => write('a.mp4'));
    };
    assert.deepEqual(await ended(file), ['complete']);
  });

  for (const [temporary, final] of [
    [['_UNPACK_Holiday'], ['Holiday']],
    [
      ['_UNPACK_Holiday', 'a.mp4.tmp'],
      ['Holiday', 'a.mp4'],
    ],
  ] as const) {
    it(`waits until ${temporary.join('/')} becomes ${final.join('/')}, and waits for that`, async () => {
      if (temporary.at(-1)?.includes('.')) write(...temporary);
      else write(...temporary, 'a.mp4');
      wait(at(...temporary));
      await keepsWaiting();
      for (const [index, name] of temporary.entries()) {
        const above = final.slice(0, index);
        renameSync(at(...above, name), at(...above, final[index] ?? ''));
        await sleep(2 * TIMES.interval);
      }
      assert.deepEqual(await ended(at(...final)), ['complete']);
    });
  }

  it('waits for the final name if the temporary one is gone before the first check', async () => {
    const file = write('a.mp4');
    wait(`${file}.part`);
    assert.deepEqual(await ended(file), ['complete']);
  });

  it('ends with the given path if neither its temporary name nor the final one is there any more', async () => {
    // The final name of the second would be a folder above.
    const files = [write('a.mp4.part'), write('...part')];
    for (const file of files) {
      wait(file);
      await seen(file);
      rmSync(file);
    }
    assert.deepEqual(await ended(...files), ['gone', 'gone']);
  });

  for (const [what, file] of [
    ['that is still to come', 'b.mp4'],
    ['that was created before it', 'a.mp4'],
  ] as const) {
    it(`waits for a file ${what} while one with a temporary name lies beside it`, async () => {
      write('a.mp4');
      const temporary = write(`${file}.aria2`);
      wait(at(file));
      await keepsWaiting();
      renameSync(temporary, at(file));
      assert.deepEqual(await ended(at(file)), ['complete']);
    });
  }

  it('waits for a folder while there is a temporary name in it', async () => {
    const temporary = write('Holiday', 'videos', '.a.mp4.Xy12ab');
    wait(at('Holiday'));
    await keepsWaiting();
    renameSync(temporary, at('Holiday', 'videos', 'a.mp4'));
    assert.deepEqual(await ended(at('Holiday')), ['complete']);
  });

  it('waits for what has a temporary name although its time of change is old, as after unpacking', async () => {
    const unpacked = write('_UNPACK_Holiday', 'a.mp4');
    for (const file of [write('a.mp4.part'), unpacked]) utimesSync(file, 1, 1);
    mkdirSync(at('_UNPACK_Empty'));
    const all = ['a.mp4.part', '_UNPACK_Holiday', 'Holiday', '_UNPACK_Empty', 'Empty'].map((name) =>
      at(name),
    );
    for (const one of [unpacked, ...all]) wait(one);
    await keepsWaiting();
  });

  it('waits for a temporary file that grows, although the clock of its share is behind', async () => {
    const [part, file] = [write('a.mp4.part'), at('a.mp4')];
    age(2 * TIMES.abandoned);
    wait(file);
    await waitsWhileItGrows(part);
    renameSync(part, file);
    assert.deepEqual(await ended(file), ['complete']);
  });

  it('does not wait for temporary names that were left behind, also if the clock of their share is ahead', async () => {
    for (const name of ['a.mp4.part', 'b.mp4.part', 'c.mp4.part']) write('Holiday', name);
    const there = [at('Holiday', 'a.mp4.part'), write('Holiday', 'b.mp4'), at('Holiday')];
    age(2 * TIMES.abandoned);
    for (const one of [...there, at('Holiday', 'c.mp4')]) wait(one);
    assert.deepEqual(await ended(...there), ['complete', 'complete', 'complete']);
    assert.deepEqual(await ended(at('Holiday', 'c.mp4')), ['gone']);

    ends = [];
    age(-2 * TIMES.abandoned);
    timing.files.abandoned = 2 * SETTLE;
    wait(at('Holiday'));
    assert.deepEqual(await ended(at('Holiday')), ['complete']);
  });

  for (const [what, create] of [
    [
      'whose name is not UTF-8',
      () => {
        const file = Buffer.concat([Buffer.from(at('Holiday/caf')), Buffer.from([0xe9])]);
        writeFileSync(file, 'content');
        return file;
      },
    ],
    [
      'that a link leads to',
      () => {
        symlinkSync(write('elsewhere', 'b.mp4'), at('Holiday', 'b.mp4'));
        return at('elsewhere', 'b.mp4');
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
    [
      'beside something that nobody may read',
      () => {
        const locked = write('Holiday', 'locked');
        stat = async (real, file) => {
          if (file === locked) throw Object.assign(new Error(), { code: 'EACCES', syscall: 'lstat' });
          return await real();
        };
        return write('Holiday', 'b.mp4');
      },
    ],
  ] as const) {
    it(`waits for a folder while a file grows ${what}`, async () => {
      write('Holiday', 'a.mp4');
      const growing = create();
      wait(at('Holiday'));
      await waitsWhileItGrows(growing);
      assert.deepEqual(await ended(at('Holiday')), ['complete']);
    });
  }

  it('does not let a large folder delay a file beside it, and ends the walk when nobody waits', async () => {
    for (let index = 0; index < 300; index += 1) write('Large', `${index}.mp4`);
    stat = async (real) => {
      await sleep(5);
      return await real();
    };
    const ofLarge = (paths: string[]) => paths.filter((file) => file.includes('Large'));
    const message = wait(at('Large'));
    wait(write('a.mp4'));
    await ended(at('a.mp4'));
    // The file has been seen, and seen again, before the whole folder was walked.
    const second = checked.indexOf(at('a.mp4'), checked.indexOf(at('a.mp4')) + 1);
    assert.ok(ofLarge(checked.slice(0, second)).length < 300);
    message.abort();
    checked = [];
    wait(write('b.mp4'));
    await ended(at('b.mp4'));
    assert.ok(ofLarge(checked).length <= 2);
  });

  it('checks a path once more for each message that comes for it, and goes on without one that is dropped', async () => {
    const file = write('a.mp4');
    let [checks, answer] = [0, () => {}];
    stat = async (real) => {
      const stats = await real();
      // The second check, which would be the last one.
      if ((checks += 1) === 2) await new Promise<void>((resolve) => (answer = resolve));
      return stats;
    };
    const first = wait(file, 1);
    await until(() => checks === 2);
    appendFileSync(file, 'more');
    wait(file, 1);
    first.abort();
    answer();
    assert.deepEqual(await ended(file), ['complete']);
    assert.equal(ends.length, 1);
    assert.equal(checks, 4);
  });

  it('sees a temporary file that came after it had listed the folder for another file', async () => {
    timing.files.interval = 60_000;
    wait(write('a.mp4'));
    await seen(at('a.mp4'));
    const part = write('b.mp4.part');
    wait(at('b.mp4'));
    await until(() => checked.includes(part) || ends.length > 0);
    assert.deepEqual(ends, []);
  });

  it('checks each path at most once in an interval, and two files at a time', async () => {
    const files = Array.from({ length: 60 }, (_, index) => write(`folder ${index % 7}`, `${index}.mp4`));
    const times = new Map<string, number[]>();
    let [running, most] = [0, 0];
    stat = async (real, file) => {
      times.set(file, [...(times.get(file) ?? []), performance.now()]);
      most = Math.max(most, (running += 1));
      return await real().finally(() => (running -= 1));
    };
    for (const file of files) wait(file);
    await ended(...files);
    assert.equal(most, 2);
    for (const all of times.values()) {
      for (const [index, time] of all.slice(1).entries())
        assert.ok(time - (all[index] ?? 0) > TIMES.interval - 2);
    }
  });

  describe('on a share', () => {
    let answers: (() => void)[];
    /** The number of its device. */
    let device: number;

    const hang = () => {
      stat = async (real, file) => {
        if (file.startsWith(at('share'))) await new Promise<void>((resolve) => answers.push(resolve));
        return await real();
      };
    };
    const answer = () => {
      stat = (real) => real();
      for (const one of answers) one();
    };

    beforeEach(() => {
      answers = [];
      device = -7;
      stat = async (real, file) => {
        const stats = await real();
        return file.startsWith(at('share')) ? Object.assign(stats, { dev: device }) : stats;
      };
    });
    afterEach(async () => {
      answer();
      await sleep(TIMES.interval);
    });

    it('that hangs, ends for the paths that do not answer; the others wait until it answers', async () => {
      const shared = Array.from({ length: 30 }, (_, index) => write('share', String(index), 'a.mp4'));
      const [local, growing] = [write('a.mp4'), write('b.mp4')];
      wait(growing, 60_000);
      await seen(growing);
      hang();
      for (const one of [...shared, local]) wait(one);
      await until(() => ends.length === 2);
      await sleep(2 * TIMES.interval);
      assert.deepEqual(
        ends.map(({ outcome }) => outcome),
        ['unseen', 'unseen'],
      );
      assert.equal(answers.length, 2);
      answer();
      await until(() => ends.length === 31);
      assert.deepEqual(new Set(ends.slice(2).map(({ outcome }) => outcome)), new Set(['complete']));
      checked = [];
      await seen(growing);
    });

    it('that hangs for very long, no longer keeps files elsewhere waiting', async () => {
      timing.files.abandoned = 500;
      const [local, since] = [write('a.mp4'), performance.now()];
      hang();
      for (const one of [write('share', '0'), write('share', '1'), local]) wait(one);
      assert.deepEqual(await ended(local), ['unseen']);
      assert.ok(performance.now() - since >= 500);
    });

    it('that hangs, waits for a file that it has seen, for a while', async () => {
      const file = write('share', 'a.mp4');
      wait(file);
      await seen(file);
      hang();
      await sleep(2 * TIMES.answer);
      answer();
      assert.deepEqual(await ended(file), ['complete']);
      [ends, checked] = [[], []];
      // A check that has begun before may fail, too.
      const since = performance.now();
      wait(file, 60_000);
      await seen(file);
      hang();
      assert.deepEqual(await ended(file), ['unseen']);
      assert.ok(performance.now() - since >= TIMES.outOfSight);
    });

    for (const [what, link] of [
      ['a file', undefined],
      ['the file that a link leads to', 'link.mp4'],
    ] as const) {
      it(`that is not mounted any more, waits for ${what} for a while`, async () => {
        const file = write('share', 'a.mp4');
        if (link) symlinkSync(file, at(link));
        const given = link ? at(link) : file;
        if (link) {
          stat = async (real, one) => Object.assign(await real(), one === given ? { dev: device } : {});
        }
        const since = performance.now();
        wait(given, 60_000);
        await seen(given);
        rmSync(file);
        device = 1;
        assert.deepEqual(await ended(given), ['unseen']);
        assert.ok(performance.now() - since >= TIMES.outOfSight);
      });
    }
  });
});
