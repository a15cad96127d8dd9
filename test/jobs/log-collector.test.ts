import assert from 'node:assert/strict';
import { setImmediate as immediately } from 'node:timers/promises';
import { LogCollector } from '../../src/jobs/log-collector';
import { timing } from '../../src/timing';

const line = (time: string, level: string, message: string) => ({
  time: `2026-11-21T03:00:${time}Z`,
  level,
  message,
});

describe('A log line of the server', () => {
  const between = (log: LogCollector, from: string, to: string) =>
    log.between(`2026-11-21T03:00:${from}Z`, `2026-11-21T03:00:${to}Z`);

  it('is a problem of the job if it is a warning or an error', () => {
    const log = new LogCollector((text) => text);
    log.add([
      line('01', 'Info', 'Scan finished'),
      line('01', 'Warning', 'odd'),
      line('01', 'Error', 'wrong'),
      line('01', 'Trace', 'SELECT'),
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
    const { problems } = between(log, '01.0000015', '01.0000025');
    assert.deepEqual(
      problems.map(({ text }) => text),
      ['within'],
    );
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

  it('is ignored if its time is invalid or too long', () => {
    const log = new LogCollector((text) => text.slice(0, 300));
    const lengthened = `2026-11-21T03:00:01.${'0'.repeat(1_000_000)}Z`;
    for (const time of [
      lengthened,
      'yesterday',
      '2026-11-21',
      `${'9'.repeat(50_000)}.${'9'.repeat(50_000)}`,
    ]) {
      log.add([{ time, level: 'Error', message: 'x'.repeat(1_000_000) }]);
    }
    assert.deepEqual(between(log, '00', '02'), { problems: [], problemCount: 0 });
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

  it('ends the wait for earlier lines', async () => {
    const log = new LogCollector((text) => text);
    log.add([line('05', 'Info', 'later')]);
    const settled = log.settled('2026-11-21T03:00:04Z', () => assert.fail()).then(() => 'at once');
    assert.equal(await Promise.race([settled, immediately('later')]), 'at once');
  });

  it('ends no wait if the clock of the server has been set back since it was logged', async () => {
    const { logBatch } = timing.jobs;
    timing.jobs.logBatch = 20;
    try {
      const log = new LogCollector((text) => text);
      log.add([line('05', 'Info', 'before the clock was set back')]);
      log.add([line('01', 'Info', 'after it')]);
      let isCaughtUp = false;
      await log.settled('2026-11-21T03:00:02Z', () => {
        isCaughtUp = true;
        return Promise.resolve();
      });
      assert.ok(isCaughtUp);
    } finally {
      timing.jobs.logBatch = logBatch;
    }
  });

  it('is ignored if it has another shape', () => {
    const log = new LogCollector((text) => text);
    for (const odd of [null, 'text', [null, 1, { time: 1 }, { time: 'x', message: 'y', level: 'Error' }]])
      log.add(odd);
    assert.equal(between(log, '00', '59').problemCount, 0);
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

    assert.deepEqual(log.markedBetween('2026-11-21T03:00:00Z', '2026-11-21T03:00:02Z'), {
      count: 6,
      paths: marks.map(([, path]) => path),
    });
  });

  it('counts the paths that a clean task marks, and keeps the last hundred', () => {
    const log = new LogCollector((text) => text);
    for (let index = 0; index < 2500; index++) {
      log.add([line('01', 'Info', `File not found. Marking to clean: "/media/${index}.mp4"`)]);
    }
    const { count, paths } = log.markedBetween('2026-11-21T03:00:00Z', '2026-11-21T03:00:02Z');
    assert.deepEqual([count, paths.length, paths.at(-1)], [2500, 100, '/media/2499.mp4']);
  });
});
