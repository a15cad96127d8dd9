import assert from 'node:assert/strict';
import { setImmediate as immediately } from 'node:timers/promises';
import { useFakeTimers } from 'sinon';
import { LogCollector } from '../../src/jobs/log-collector';
import { timing } from '../../src/timing';

const line = (time: string, level: string, message: string) => ({
  time: `2026-11-21T03:00:${time}Z`,
  level,
  message,
});

describe('A log line of the server', () => {
  const at = (time: string) => `2026-11-21T03:00:${time}Z`;
  const between = (log: LogCollector, from: string, to: string, next?: string) => {
    const found = log.problemsBetween(at(from), at(to), next === undefined ? null : at(next));
    assert.ok(found);
    return found;
  };

  const markedIn = (log: LogCollector) => {
    const found = log.markedBetween(at('00'), at('02'), null);
    assert.ok(found);
    return found;
  };

  it('is a problem of the job if it is a warning or an error', () => {
    const log = new LogCollector((text) => text);
    log.add([
      line('01', 'Info', 'Scan finished'),
      line('01', 'Warning', 'odd'),
      line('01', 'Error', 'wrong'),
      line('01', 'Trace', 'SELECT'),
      line('01', 'Debug', 'more'),
      line('01', 'Progress', '1 of 2'),
    ]);
    assert.deepEqual(between(log, '00', '02'), {
      problems: [
        { time: '2026-11-21T03:00:01Z', level: 'warning', text: 'odd' },
        { time: '2026-11-21T03:00:01Z', level: 'error', text: 'wrong' },
      ],
      problemCount: 2,
    });
  });

  it('belongs to the job that ran at its time, however close the jobs are', () => {
    const log = new LogCollector((text) => text);
    log.add([
      line('01.0000010', 'Error', 'before'),
      line('01.0000020', 'Error', 'within'),
      line('01.0000030', 'Error', 'after'),
    ]);
    const { problems } = between(log, '01.0000015', '01.0000025', '01.0000028');
    assert.deepEqual(
      problems.map(({ text }) => text),
      ['within'],
    );
  });

  it('belongs to a job also if it was written just after its end, but before the next one', () => {
    const log = new LogCollector((text) => text);
    log.add(['01.5', '02.5', '02.501', '02.69', '02.71'].map((time) => line(time, 'Error', time)));
    const textsOf = (to: string, next?: string) =>
      between(log, '01', to, next).problems.map(({ text }) => text);
    assert.deepEqual(textsOf('02.5'), ['01.5', '02.5', '02.501', '02.69']);
    assert.deepEqual(textsOf('02.5', '02.6'), ['01.5', '02.5', '02.501']);
    assert.deepEqual(textsOf('02.5', '01.1'), ['01.5', '02.5'], 'the clock was set back meanwhile');
    assert.deepEqual(textsOf('01'), ['01.5'], 'the job ended at any moment of that second');
  });

  it('may have the time zone of the server', () => {
    const log = new LogCollector((text) => text);
    log.add([{ time: '2026-11-21T05:00:01.5+02:00', level: 'Error', message: 'wrong' }]);
    assert.equal(between(log, '01', '02').problemCount, 1);
  });

  it('is not a problem if an API request, a sign-in or a stream caused it', () => {
    const log = new LogCollector((text) => text);
    const others = [
      'Error logging in: invalid credentials from IP: 127.0.0.1:46764',
      'scrapeSinglePerformer: input: scrapeSinglePerformer error while name scraping with scraper localtest: http error 500',
      'findScene: input: findScene strconv.Atoi: parsing "abc": invalid syntax',
      'sceneDestroy: input: sceneDestroy scene with id 99999 not found',
      'findScene.file: input: findScene.file no such file',
      'allStudios[0].name: input: allStudios[0].name wrong',
      'job3: input:2: job3 strconv.Atoi: parsing "abc": invalid syntax',
      '[stream] error writing to stream: broken pipe',
      '[transcode] ffmpeg error when running command <ffmpeg>: exit status 1',
    ];
    const own = [
      'error processing "/media/a.mp4": running ffprobe on "/media/a.mp4": exit status 1',
      'error scanning /media: input: /media lstat /media: no such file or directory',
      'findScene: input: findStudio not the same field',
      '[transcode] error generating transcode: exit status 1',
      'Plugin returned error: exit status 3',
    ];
    log.add([...others, ...own].map((message) => line('01', 'Error', message)));
    const { problems, problemCount } = between(log, '00', '02');
    assert.deepEqual(
      problems.map(({ text }) => text),
      own,
    );
    assert.equal(problemCount, own.length);
  });

  it('is kept if it is one of the last hundred, but all are counted', () => {
    const log = new LogCollector((text) => text);
    for (let second = 0; second < 5; second++) {
      log.add(Array.from({ length: 1000 }, (_, index) => line(`0${second}`, 'Error', `${second} ${index}`)));
    }
    const { problems, problemCount } = between(log, '00', '59');
    assert.equal(problemCount, 5000);
    assert.equal(problems.length, 100);
    assert.equal(problems.at(-1)?.text, '4 999');
  });

  it('is redacted', () => {
    const log = new LogCollector((text) => text.replace('secret', '•••'));
    log.add([line('01', 'Error', 'a secret')]);
    assert.equal(between(log, '00', '02').problems[0]?.text, 'a •••');
  });

  it('is a path that a clean task marks, however the release says so', () => {
    const log = new LogCollector((text) => text);
    const marks: [line: string, path: string][] = [
      ['File not found. Marking to clean: "/media/a.mp4"', '/media/a.mp4'],
      ['Folder not found. Marking to clean: "/media/b"', '/media/b'],
      ['File not in any stash library directories. Marking to clean: "/old/c.mp4"', '/old/c.mp4'],
      ['Marking contained file "/media/d.zip/e.jpg" to clean', '/media/d.zip/e.jpg'],
      ['Gallery has 0 images. Marking to clean: Holiday', 'Holiday'],
      ['File not found. Cleaning: "/media/f.mp4"', '/media/f.mp4'],
    ];
    log.add(marks.map(([message]) => line('01', 'Info', message)));
    log.add([line('01', 'Info', 'Cleaning generated files '), line('01', 'Info', 'Finished Cleaning (2ms)')]);
    log.add([line('09', 'Info', 'File not found. Marking to clean: "/media/later.mp4"')]);

    assert.deepEqual(markedIn(log), {
      count: 6,
      dryRun: false,
      paths: marks.map(([, path]) => path),
    });
  });

  for (const message of [
    'error cleaning files: error querying for files: context canceled',
    'error cleaning scenes: error querying for scenes: disk I/O error',
    'error getting count: disk I/O error',
    'Error finding empty galleries: database is locked',
  ]) {
    it(`is in no number of paths if the clean task broke off: ${message}`, () => {
      const log = new LogCollector((text) => text);
      log.add([
        line('01', 'Info', 'File not found. Marking to clean: "/media/a.mp4"'),
        line('01', 'Error', message),
        ...Array.from({ length: 200 }, () => line('02', 'Error', 'more')),
      ]);
      assert.equal(log.markedBetween(at('00'), at('02'), null), undefined);
      assert.equal(between(log, '00', '02').problemCount, 201);
      assert.deepEqual(log.markedBetween(at('05'), at('06'), null), { count: 0, dryRun: false, paths: [] });
    });
  }

  it('counts the paths that a clean task marks, and keeps the last hundred', () => {
    const log = new LogCollector((text) => text);
    for (let index = 0; index < 2500; index++) {
      log.add([line('01', 'Info', `File not found. Marking to clean: "/media/${index}.mp4"`)]);
    }
    const { count, paths } = markedIn(log);
    assert.deepEqual([count, paths.length, paths.at(-1)], [2500, 100, '/media/2499.mp4']);
  });

  it('counts a path that is longer than any message that is kept, and cuts it', () => {
    const log = new LogCollector((text) => text);
    const long = `/media/${'x'.repeat(5_000)}`;
    log.add([
      line('01', 'Info', `File not found. Marking to clean: "${long}.mp4"`),
      line('01', 'Info', `Marking contained file "${long}.zip/a.jpg" to clean`),
    ]);
    const { count, paths } = markedIn(log);
    assert.equal(count, 2);
    for (const path of paths) assert.ok(path.length < 2_000 && long.startsWith(path), String(path.length));
  });

  it('is in no number if so many followed that it was discarded', () => {
    const log = new LogCollector((text) => text);
    const mark = (time: string) => line(time, 'Info', 'File not found. Marking to clean: "/media/a.mp4"');
    log.add([mark('01')]);
    for (let times = 0; times < 20; times++) log.add(Array.from({ length: 10_000 }, () => mark('05')));
    assert.equal(log.markedBetween(at('00'), at('02'), null), undefined);
    assert.equal(log.markedBetween(at('00'), at('06'), null), undefined);
  });

  it('is in no list that would be too short, because a later job had many problems', () => {
    const log = new LogCollector((text) => text);
    const problems = (time: string, length: number) =>
      Array.from({ length }, (_, index) => line(time, 'Error', `${time} ${index}`));
    log.add(problems('01', 3));
    log.add(problems('05', 2_000));
    assert.equal(between(log, '00', '02').problems.length, 3);
    log.add(problems('06', 10_000));
    assert.equal(log.problemsBetween(at('00'), at('02'), null), undefined);
    const { problems: last, problemCount } = between(log, '06', '07');
    assert.deepEqual([last.length, problemCount], [100, 10_000]);
  });
});

describe('The log lines of a job', () => {
  let usual: typeof timing.jobs;
  const [start, end] = ['2026-11-21T03:00:02.1Z', '2026-11-21T03:00:04.1Z'];
  const info = (time: string) => line(time, 'Info', 'anything');
  let log: LogCollector;
  let flushes: number;

  beforeEach(() => {
    usual = timing.jobs;
    timing.jobs = { ...usual, firstFlush: 1, nextFlush: 1 };
    log = new LogCollector((text) => text);
    flushes = 0;
  });
  afterEach(() => {
    timing.jobs = usual;
    log.close();
  });

  /** Waits for the lines of the job. @param flush gets how often it was called. */
  const isComplete = (flush: (times: number) => void = () => undefined, to = end) =>
    log.isComplete(start, to, () => {
      flush(++flushes);
    });
  const soon = async (covering: Promise<boolean>) => await Promise.race([covering, immediately('later')]);

  it('have arrived if the log has a line from before its start and one from after its end', async () => {
    log.add([info('02')]);
    log.add([info('05')]);
    assert.equal(await soon(isComplete()), true);
    assert.equal(flushes, 0, 'no further line is needed');
  });

  it('are waited for until the server, which is made to write a line, has sent it', async () => {
    timing.jobs.firstFlush = 30;
    log.add([info('02')]);
    const covering = isComplete(() => log.add([line('04', 'Error', 'late'), info('04.4')]));
    log.add([info('04.2')]);
    assert.equal(await soon(covering), 'later', 'a line so soon after the end may have overtaken others');
    assert.equal(await covering, true);
    assert.equal(flushes, 1);
    assert.equal(log.problemsBetween(start, end, null)?.problemCount, 1);
  });

  it('are waited for with further lines if the first one was lost', async () => {
    log.add([info('02')]);
    const covering = isComplete((times) => {
      if (times === 3) log.add([info('05')]);
    });
    assert.equal(await covering, true);
  });

  it('may end at any moment of a second, if that is all that the server tells', async () => {
    log.add([info('02')]);
    const times = ['05', '06'];
    assert.equal(await isComplete(() => log.add([info(times.shift() ?? '')]), '2026-11-21T03:00:04Z'), true);
    assert.deepEqual(times, []);
  });

  it('are unknown if no line from after its end arrives in time', async () => {
    timing.jobs.longestLog = 20;
    log.add([info('02')]);
    assert.equal(await isComplete(), false);
  });

  it('are unknown without a line from before its start', async () => {
    const covering = isComplete();
    log.add([info('02.1'), info('03')]);
    assert.equal(await covering, false);
  });

  it('are unknown if the connection closes before that', async () => {
    log.add([info('02')]);
    const covering = isComplete();
    log.close();
    assert.equal(await covering, false);
    assert.equal(await isComplete(), false);
  });

  it('are unknown if the clock of the server was set back while it ran', async () => {
    log.add([info('02'), info('03')]);
    assert.equal(log.add([info('01.5')]), true, 'no line is missing');
    assert.equal(log.isOpen, false);
    assert.equal(log.add([info('05')]), false);
    assert.equal(await isComplete(), false);
    log = new LogCollector((text) => text);
    log.add([info('02')]);
    log.add([info('05')]);
    timing.jobs.longestLog = 20;
    assert.equal(await log.isComplete(end, start, () => undefined), false);
  });

  it('are unknown if the clock of the server was set back by less than a second', async () => {
    log.add([info('02.05')]);
    log.add([info('02.2'), info('01.8')]);
    assert.equal(log.isOpen, false);
    log.add([info('05')]);
    assert.equal(await isComplete(), false);
  });

  it('are unknown if a batch comes more than a minute later than others, because the server may have discarded one', async () => {
    const clock = useFakeTimers({ toFake: ['performance'] });
    try {
      // An idle server sends nothing for long.
      clock.tick(600_000);
      for (const [second, at] of [
        ['00', 600_000],
        ['10', 669_000],
      ] as const) {
        clock.tick(at - performance.now());
        assert.equal(log.add([info(second)]), true);
      }
      clock.tick(2_000);
      assert.equal(log.add([info('10.5')]), false);
      assert.equal(await isComplete(), false);
    } finally {
      clock.restore();
    }
  });

  it('may be in another order within a batch, and nearly so in the next one', async () => {
    log.add([info('03.1'), info('02.05')]);
    assert.ok(log.add([info('05.1'), info('02.95')]));
    assert.equal(await isComplete(), true);
  });

  it('may be in another order by a second, if that is all that the server tells', async () => {
    log.add([info('01')]);
    log.add([info('03')]);
    assert.ok(log.add([info('05'), info('02')]));
    assert.equal(await isComplete(), true);
  });

  it('are discarded when the connection closes, because ended jobs keep the log', () => {
    log.add([info('02'), line('03', 'Error', 'odd'), info('05')]);
    assert.equal(log.problemsBetween(start, end, null)?.problemCount, 1);
    log.close();
    assert.equal(log.problemsBetween(start, end, null), undefined);
    assert.equal(log.markedBetween(start, end, null), undefined);
  });

  for (const [what, odd] of [
    ['is no list', null],
    ['is text', 'text'],
    ['has a line that is none', [info('02'), null]],
    ['has a line without a message', [{ time: start, level: 'Error' }]],
    ['has a line of an unknown level', [line('02', 'Fatal', 'worse than an error')]],
    ['has a line without a time', [{ ...info('02'), time: 'yesterday' }]],
    ['has a line with a time of a million digits', [info(`02.${'0'.repeat(1_000_000)}`)]],
  ] as const) {
    it(`are unknown if a batch ${what}`, async () => {
      log.add([info('01')]);
      assert.equal(log.add(odd), false);
      log.add([info('05')]);
      assert.equal(await isComplete(), false);
    });
  }
});
