import assert from 'node:assert/strict';
import { JobRecords } from '../../src/jobs/job-records';
import type { Connection } from '../../src/jobs/live-connection';
import { LogCollector } from '../../src/jobs/log-collector';
import { TrackedJob } from '../../src/jobs/tracked-job';

const DAY = '2026-11-21T03:00:';

describe('The record of a job that has ended', () => {
  let log: LogCollector;

  beforeEach(() => {
    log = new LogCollector((text) => text);
  });

  /** Returns the record of a clean task; `catchUp` is what happens until its connection has caught up. */
  const recordAfter = async (catchUp: (connection: Connection) => void) => {
    const connection: Connection = {
      isOpen: true,
      isSynced: true,
      caughtUp: async () => {
        await new Promise(setImmediate);
        catchUp(connection);
      },
    };
    const job = {
      ...{ id: '7', status: 'FINISHED', description: 'Cleaning...', progress: null, subTasks: null },
      ...{ addTime: `${DAY}00Z`, startTime: `${DAY}01Z`, endTime: `${DAY}02Z`, error: null },
    };
    return await new JobRecords(log).ended(new TrackedJob(job, 1, connection));
  };

  it('has the log lines that were on their way at its end', async () => {
    const { problems, marked } = await recordAfter(() => {
      log.add([
        { time: `${DAY}01.5Z`, level: 'Warning', message: 'odd' },
        { time: `${DAY}01.6Z`, level: 'Info', message: 'File not found. Marking to clean: "/media/a.mp4"' },
      ]);
    });
    assert.deepEqual(
      problems?.map(({ text }) => text),
      ['odd'],
    );
    assert.deepEqual(marked, { count: 1, paths: ['/media/a.mp4'] });
  });

  it('knows of no log lines if the connection closes before they have arrived', async () => {
    const { problems, marked } = await recordAfter((connection) => {
      connection.isOpen = false;
    });
    assert.deepEqual([problems, marked], [null, undefined]);
  });
});
