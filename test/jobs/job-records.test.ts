import assert from 'node:assert/strict';
import { JobRecords } from '../../src/jobs/job-records';
import { LogCollector } from '../../src/jobs/log-collector';
import { TrackedJob } from '../../src/jobs/tracked-job';
import { timing } from '../../src/timing';

const DAY = '2026-11-21T03:00:';

describe('The record of a job that has ended', () => {
  let usual: typeof timing.jobs;
  let log: LogCollector;

  beforeEach(() => {
    usual = timing.jobs;
    timing.jobs = { ...usual, firstFlush: 1 };
    log = new LogCollector((text) => text);
    log.add([{ time: `${DAY}00Z`, level: 'Trace', message: 'SQL' }]);
  });
  afterEach(() => {
    timing.jobs = usual;
  });

  /** Returns the record of a clean task; `flush` is what happens when the server is made to write a line. */
  const recordAfter = async (flush: () => void, next: string | null = null, status = 'FINISHED') => {
    const job = {
      ...{ id: '7', status, description: 'Cleaning...', progress: null, subTasks: null },
      ...{ addTime: `${DAY}00Z`, startTime: `${DAY}01Z`, endTime: `${DAY}02.5Z`, error: null },
    };
    return await new JobRecords(flush, () => next).ended(new TrackedJob(job, 1, log));
  };

  it('has the log lines that were on their way at its end', async () => {
    const { problems, marked } = await recordAfter(() => {
      log.add([
        { time: `${DAY}01.5Z`, level: 'Warning', message: 'odd' },
        { time: `${DAY}01.6Z`, level: 'Info', message: 'File not found. Marking to clean: "/media/a.mp4"' },
        { time: `${DAY}02.9Z`, level: 'Trace', message: 'SQL' },
      ]);
    });
    assert.deepEqual(
      problems?.map(({ text }) => text),
      ['odd'],
    );
    assert.deepEqual(marked, { count: 1, dryRun: false, paths: ['/media/a.mp4'] });
  });

  it('has the log lines from just after its end, unless the next job had started', async () => {
    const late = () => {
      log.add(
        ['02.501', '02.503', '02.9'].map((at) => ({ time: `${DAY}${at}Z`, level: 'Error', message: at })),
      );
    };
    assert.equal((await recordAfter(late)).problemCount, 2);
    log = new LogCollector((text) => text);
    log.add([{ time: `${DAY}00Z`, level: 'Trace', message: 'SQL' }]);
    assert.equal((await recordAfter(late, `${DAY}02.502Z`)).problemCount, 1);
  });

  it('does not say what a cancelled clean would have removed, because that is not all', async () => {
    const { problemCount, marked } = await recordAfter(
      () => {
        log.add([
          { time: `${DAY}01.6Z`, level: 'Info', message: 'File not found. Marking to clean: "/media/a.mp4"' },
          { time: `${DAY}02.9Z`, level: 'Trace', message: 'SQL' },
        ]);
      },
      null,
      'CANCELLED',
    );
    assert.deepEqual([problemCount, marked], [0, undefined]);
  });

  it('knows of no log lines if the connection closes before they have arrived', async () => {
    const { problems, problemCount, marked } = await recordAfter(() => {
      log.add([{ time: `${DAY}01.5Z`, level: 'Warning', message: 'odd' }]);
      log.close();
    });
    assert.deepEqual([problems, problemCount, marked], [null, null, undefined]);
  });
});
