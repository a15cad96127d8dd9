import assert from 'node:assert/strict';
import { restore, type SinonFakeTimers, useFakeTimers } from 'sinon';
import type { Connection } from '../../src/jobs/live-connection';
import { LogCollector } from '../../src/jobs/log-collector';
import { JobTable } from '../../src/jobs/job-table';
import { ProgressFilter, type TrackedJob } from '../../src/jobs/tracked-job';
import { jobReader, type ServerJob } from '../../src/jobs/server-job';

const DAY = '2026-11-21T03:00:';

/** Returns a job as a server sends it. By default its id is also the second at which it was added. */
function job(id: number, status: string, changes: Partial<ServerJob> = {}): ServerJob {
  const second = String(id).padStart(2, '0');
  const isEnd = ['FINISHED', 'CANCELLED', 'FAILED'].includes(status);
  return {
    id: String(id),
    status,
    description: 'Scanning...',
    progress: null,
    subTasks: null,
    addTime: `${DAY}${second}Z`,
    startTime: status === 'READY' ? null : `${DAY}${second}.5Z`,
    endTime: isEnd ? `${DAY}${second}.9Z` : null,
    error: null,
    ...changes,
  };
}

const readJob = jobReader((text) => text);

/** Returns a job with the same id after a restart of the server an hour later. */
function again(id: number, status: string): ServerJob {
  return job(id, status, { addTime: '2026-11-21T04:00:00Z' });
}

describe('The job table', () => {
  let events: string[];
  let table: JobTable;
  const connection: Connection = { isSynced: true, log: new LogCollector((text) => text) };

  const nameOf = ({ job: { id, addTime }, outcome }: TrackedJob) =>
    `${id}${addTime.startsWith(DAY) ? '' : ' (anew)'}${outcome === undefined ? '' : ` ${outcome}`}`;
  const hear = (type: string, one: ServerJob) => table.applyEvent({ type, job: one }, connection);
  const applyPoll = (
    queue: ServerJob[],
    found: Record<string, ServerJob | null> = {},
    { firstSequence = table.nextSequence, silent = false } = {},
  ) =>
    table.applySnapshot(
      { queue, found: new Map(Object.entries(found)) },
      { firstSequence, silent, connection },
    );

  beforeEach(() => {
    events = [];
    table = new JobTable();
    table.listen(({ type, tracked }) => {
      if (type === 'started' || type === 'ended') events.push(`${type} ${nameOf(tracked)}`);
    });
  });

  describe('with events', () => {
    it('knows when the next job started, past those that were cancelled while they waited', () => {
      hear('ADD', job(1, 'RUNNING'));
      const first = table.find('1', 0);
      assert.ok(first);
      assert.equal(table.startAfter(first), null);
      hear('ADD', job(2, 'READY'));
      hear('ADD', job(3, 'READY'));
      assert.equal(table.startAfter(first), null);
      hear('REMOVE', job(2, 'CANCELLED', { startTime: null }));
      assert.equal(table.startAfter(first), null);
      hear('UPDATE', job(3, 'RUNNING'));
      assert.equal(table.startAfter(first), `${DAY}03.5Z`);
    });

    it('does not take a job from before a restart of the server for the next one', () => {
      hear('ADD', job(1, 'FINISHED'));
      hear('ADD', job(2, 'FINISHED'));
      hear('ADD', again(1, 'RUNNING'));
      const first = table.find('1', 0);
      assert.ok(first);
      assert.equal(nameOf(first), '1 (anew)');
      assert.equal(table.startAfter(first), null);
    });

    it('reports the start and the end of a job once', () => {
      hear('ADD', job(1, 'READY'));
      hear('UPDATE', job(1, 'RUNNING'));
      hear('UPDATE', job(1, 'RUNNING', { progress: 0.5 }));
      hear('REMOVE', job(1, 'FINISHED'));
      assert.deepEqual(events, ['started 1', 'ended 1 FINISHED']);
    });

    it('treats REMOVE as the end, whatever event follows', () => {
      hear('ADD', job(1, 'READY'));
      hear('REMOVE', job(1, 'FINISHED'));
      hear('UPDATE', job(1, 'RUNNING'));
      hear('UPDATE', job(1, 'FAILED'));
      assert.deepEqual(events, ['started 1', 'ended 1 FINISHED']);
    });

    it('reports no start for a job that is cancelled in the queue', () => {
      hear('ADD', job(1, 'READY'));
      hear('REMOVE', job(1, 'CANCELLED', { startTime: null, endTime: null }));
      assert.deepEqual(events, ['ended 1 CANCELLED']);
    });

    it('treats a reused id as a new job, and reports the earlier jobs as LOST', () => {
      hear('UPDATE', job(1, 'RUNNING'));
      hear('ADD', job(2, 'READY'));
      hear('ADD', again(1, 'READY'));
      hear('UPDATE', again(1, 'RUNNING'));
      hear('REMOVE', again(1, 'FINISHED'));
      assert.deepEqual(events, [
        'started 1',
        'ended 1 LOST',
        'ended 2 LOST',
        'started 1 (anew)',
        'ended 1 (anew) FINISHED',
      ]);
      assert.equal(table.restarts, 1);
    });

    it('detects no restart if jobs are reported out of order', () => {
      hear('ADD', job(2, 'READY'));
      hear('ADD', job(1, 'READY'));
      assert.equal(table.restarts, 0);
      assert.deepEqual(table.open.map(nameOf), ['1', '2']);
    });

    it('requests a poll when a job runs although an earlier one has not ended', () => {
      assert.equal(hear('ADD', job(1, 'READY')), false);
      assert.equal(hear('UPDATE', job(1, 'RUNNING')), false);
      assert.equal(hear('ADD', job(2, 'READY')), false);
      assert.equal(hear('UPDATE', job(2, 'RUNNING')), true);
    });

    it('requests a poll when a job is removed without a result', () => {
      hear('UPDATE', job(1, 'RUNNING'));
      assert.equal(hear('REMOVE', job(1, 'STOPPING')), true);
      assert.equal(table.open.length, 1);
    });

    it('reports the start of a job only after the end of the previous one', () => {
      hear('ADD', job(5, 'READY'));
      hear('UPDATE', job(5, 'RUNNING'));
      for (const id of [6, 7]) hear('ADD', job(id, 'READY'));
      assert.equal(hear('UPDATE', job(6, 'RUNNING')), true);
      assert.equal(hear('REMOVE', job(6, 'FINISHED')), true);
      hear('UPDATE', job(7, 'RUNNING'));
      assert.deepEqual(events, ['started 5']);
      hear('REMOVE', job(5, 'CANCELLED'));
      assert.deepEqual(events, [
        ...['started 5', 'ended 5 CANCELLED'],
        // The start is reported late, when the job has already finished.
        ...['started 6 FINISHED', 'ended 6 FINISHED'],
        'started 7',
      ]);
    });

    it('reports at once that a queued job was cancelled', () => {
      hear('UPDATE', job(5, 'RUNNING'));
      hear('ADD', job(6, 'READY'));
      hear('REMOVE', job(6, 'CANCELLED', { startTime: null }));
      assert.deepEqual(events, ['started 5', 'ended 6 CANCELLED']);
    });

    it('keeps at most 100 finished jobs', () => {
      for (let id = 1; id <= 20_000; id++) {
        const addTime = new Date(Date.UTC(2026, 10, 21) + id * 1000).toISOString();
        hear('ADD', job(id, 'READY', { addTime }));
        hear('REMOVE', job(id, 'FINISHED', { addTime }));
      }
      assert.equal(table.since(0).length, 100);
      assert.equal(table.find('20000', 0)?.outcome, 'FINISHED');
      assert.equal(table.find('1', 0), undefined);
    });

    it('keeps at most 10,000 unfinished jobs', () => {
      for (let id = 1; id <= 12_000; id++) hear('ADD', job(id, 'READY', { addTime: `${DAY}00Z` }));
      assert.equal(table.open.length, 10_000);
      hear('REMOVE', job(1, 'CANCELLED', { addTime: `${DAY}00Z`, startTime: null }));
      hear('UPDATE', job(12_000, 'READY', { addTime: `${DAY}00Z` }));
      assert.equal(table.find('12000', 0)?.job.status, 'READY');
    });

    it('accepts FAILED from a REMOVE event', () => {
      hear('REMOVE', job(1, 'FAILED', { error: 'it was not to be' }));
      assert.deepEqual(events, ['started 1', 'ended 1 FAILED']);
    });
  });

  describe('with polls', () => {
    it('reports nothing from the first poll', () => {
      applyPoll([job(7, 'RUNNING'), job(8, 'READY')], { '6': job(6, 'FINISHED') }, { silent: true });
      assert.deepEqual(events, []);
      applyPoll([job(8, 'RUNNING')], { '7': job(7, 'FINISHED') });
      assert.deepEqual(events, ['ended 7 FINISHED', 'started 8']);
    });

    it('reports nothing from a silent poll after a restart, neither lost nor new jobs', () => {
      hear('UPDATE', job(7, 'RUNNING'));
      events = [];
      applyPoll([again(1, 'RUNNING')], {}, { silent: true });
      assert.deepEqual(events, []);
    });

    it('reports nothing from a silent poll about a delayed start', () => {
      hear('UPDATE', job(7, 'RUNNING'));
      hear('UPDATE', job(8, 'RUNNING'));
      assert.deepEqual(events, ['started 7']);
      events = [];
      applyPoll([], { '7': job(7, 'FINISHED'), '8': job(8, 'FINISHED') }, { silent: true });
      assert.deepEqual(events, []);
    });

    it('reports jobs that ran between two polls, in order', () => {
      applyPoll([job(1, 'RUNNING')], {}, { silent: true });
      applyPoll([job(4, 'RUNNING')], {
        '1': job(1, 'CANCELLED'),
        '3': job(3, 'FINISHED'),
        '2': job(2, 'FINISHED'),
        '5': null,
      });
      assert.deepEqual(events, [
        'ended 1 CANCELLED',
        'started 2',
        'ended 2 FINISHED',
        'started 3',
        'ended 3 FINISHED',
        'started 4',
      ]);
    });

    it('requests the record of a job that has left the queue', () => {
      applyPoll([job(1, 'RUNNING')]);
      assert.equal(applyPoll([]), true);
      assert.equal(applyPoll([], { '1': job(1, 'FINISHED') }), false);
      assert.deepEqual(events, ['started 1', 'ended 1 FINISHED']);
    });

    it('reports a job as LOST, and not as finished, if the server no longer knows it', () => {
      applyPoll([job(1, 'RUNNING')]);
      applyPoll([], { '1': null });
      assert.deepEqual(events, ['started 1', 'ended 1 LOST']);
    });

    it('accepts parallel jobs', () => {
      applyPoll([job(1, 'RUNNING'), job(2, 'RUNNING')]);
      assert.deepEqual(events, ['started 1', 'started 2']);
    });

    it('reports a job as LOST if its id now belongs to another job', () => {
      applyPoll([job(1, 'RUNNING')]);
      applyPoll([], { '1': again(1, 'FINISHED') });
      assert.deepEqual(events.slice(0, 2), ['started 1', 'ended 1 LOST']);
    });

    it('ignores a poll for a job that was added after the poll began', () => {
      const firstSequence = table.nextSequence;
      hear('ADD', job(1, 'READY'));
      assert.equal(applyPoll([], { '1': null }, { firstSequence }), false);
      assert.equal(table.open.length, 1);
    });

    it('ignores a poll response that is older than an event', () => {
      hear('UPDATE', job(1, 'RUNNING'));
      applyPoll([job(1, 'READY')]);
      assert.equal(table.open[0]?.job.status, 'RUNNING');
      hear('REMOVE', job(1, 'FINISHED'));
      applyPoll([job(1, 'RUNNING')]);
      assert.deepEqual(table.open, []);
    });

    it('forgets old jobs', () => {
      for (let id = 1; id <= 300; id++) {
        const addTime = new Date(Date.UTC(2026, 10, 21) + id * 1000).toISOString();
        applyPoll([], { [id]: job(id, 'FINISHED', { addTime }) });
      }
      assert.equal(table.since(0).length, 100);
    });
  });

  it('refuses data that is not a job', () => {
    for (const no of [null, {}, { ...job(1, 'READY'), id: 1 }, { ...job(1, 'READY'), addTime: null }]) {
      assert.throws(() => readJob(no), { code: 'NOT_STASH' });
    }
    assert.deepEqual(readJob({ ...job(1, 'READY'), error: undefined }), job(1, 'READY'));
  });

  it('leaves out what a later release says of a job in another form', () => {
    const others = { description: {}, progress: '1', startTime: 7, endTime: '', subTasks: 'x', error: [] };
    const known = {
      description: '',
      progress: null,
      startTime: null,
      endTime: null,
      subTasks: null,
      error: null,
    };
    assert.deepEqual(readJob({ ...job(1, 'RUNNING'), ...others }), { ...job(1, 'RUNNING'), ...known });
  });

  it('takes an unknown status of a later release for RUNNING until the job has ended, and then for LOST', () => {
    assert.equal(readJob(job(1, 'PAUSED')).status, 'RUNNING');
    const { status, error } = readJob(job(1, 'COMPLETED', { endTime: `${DAY}05Z` }));
    assert.deepEqual([status, error], ['LOST', 'COMPLETED']);
  });

  it('refuses invalid and too long properties without which no job can be followed', () => {
    const long = '1'.repeat(1_000_000);
    for (const changes of [
      { id: long },
      { status: long },
      { addTime: `${DAY}00.${long}Z` },
      { addTime: 'yesterday' },
    ]) {
      assert.throws(
        () => readJob(job(1, 'RUNNING', changes)),
        { code: 'NOT_STASH' },
        Object.keys(changes)[0],
      );
    }
  });

  it('keeps only the requested properties of a job, without long texts', () => {
    const long = 'x'.repeat(1_000_000);
    const subTasks = Array.from({ length: 1_000 }, () => long);
    const events = { ...job(1, 'RUNNING', { description: long, error: long, subTasks }), further: long };
    const kept = JSON.stringify(jobReader((text) => text.slice(0, 300))(events));
    assert.ok(kept.length < 5_000, String(kept.length));
  });

  for (const [isSynced, isFollowed] of [
    [true, true],
    [false, false],
  ] as const) {
    it(`${isFollowed ? 'follows' : 'does not follow'} the log of a job that a poll shows first when it has ended`, () => {
      const connection: Connection = { isSynced, log: new LogCollector((text) => text) };
      table.applySnapshot(
        { queue: [], found: new Map([['1', job(1, 'FINISHED')]]) },
        { firstSequence: table.nextSequence, silent: false, connection },
      );
      assert.equal(table.find('1', 0)?.log === connection.log, isFollowed);
    });
  }
});

describe('The progress of a job', () => {
  let clock: SinonFakeTimers;
  let tracked: TrackedJob | undefined;
  let table: JobTable;

  const connection: Connection = { isSynced: true, log: new LogCollector((text) => text) };
  const running = (progress: number | null, task = 'one.mp4') => {
    table.applyEvent(
      { type: 'UPDATE', job: job(1, 'RUNNING', { progress, subTasks: task === '' ? null : [task] }) },
      connection,
    );
    return tracked?.progress(10 * 60_000);
  };

  beforeEach(() => {
    clock = useFakeTimers({ toFake: ['performance'] });
    table = new JobTable();
    table.listen((change) => {
      tracked = change.tracked;
    });
  });

  afterEach(() => {
    restore();
  });

  it('is a whole percentage, or null if unknown', () => {
    assert.deepEqual(running(null), { percent: null, task: 'one.mp4', secondsLeft: null, stalled: false });
    assert.equal(running(0.339)?.percent, 33);
    assert.equal(running(1.2)?.percent, 100);
  });

  it('includes the time left as soon as there is enough data', () => {
    running(0);
    clock.tick(4_000);
    assert.equal(running(0.1)?.secondsLeft, null);
    clock.tick(6_000);
    assert.equal(running(0.25)?.secondsLeft, 30);
    // The estimate grows while the percentage stays the same.
    clock.tick(10_000);
    assert.equal(tracked?.progress(Infinity).secondsLeft, 60);
  });

  it('has no time left while the job is stopping', () => {
    running(0);
    clock.tick(10_000);
    assert.equal(running(0.25)?.secondsLeft, 30);
    const stopping = job(1, 'STOPPING', { progress: 0.26, subTasks: ['one.mp4'] });
    table.applyEvent({ type: 'UPDATE', job: stopping }, connection);
    assert.deepEqual(tracked?.progress(Infinity), {
      ...{ percent: 26, task: 'one.mp4', secondsLeft: null, stalled: false },
    });
  });

  it('excludes time without a connection from its estimate', () => {
    running(0);
    clock.tick(10_000);
    running(0.25);
    clock.tick(3_600_000);
    running(0.3);
    table.resume();
    assert.equal(tracked?.progress(Infinity).secondsLeft, null);
    clock.tick(10_000);
    assert.equal(running(0.5)?.secondsLeft, 25);
  });

  it('starts a new estimate when the percentage decreases', () => {
    running(0.9);
    clock.tick(10_000);
    assert.equal(running(0.1)?.secondsLeft, null);
  });

  it('is stalled if neither percentage nor task changes for ten minutes', () => {
    running(0.5);
    clock.tick(10 * 60_000 - 1);
    assert.equal(running(0.5)?.stalled, false);
    clock.tick(1);
    assert.equal(running(0.5)?.stalled, true);
    assert.equal(running(0.5, 'two.mp4')?.stalled, false);
  });

  it('is not reported again if only the time left changes, or while the server is silent', () => {
    running(0.05);
    assert.ok(tracked);
    const last = new ProgressFilter();
    const progress = { percent: 5, task: 'one.mp4', secondsLeft: 10, stalled: false };
    assert.equal(last.changed(progress, tracked), true);
    clock.tick(1_000);
    assert.equal(last.changed({ ...progress, secondsLeft: 9 }, tracked), false);
    assert.equal(last.changed({ ...progress, percent: 6 }, tracked), true);
    clock.tick(10_000);
    assert.equal(last.changed({ ...progress, percent: 6, secondsLeft: 20 }, tracked), false);
    running(0.06);
    assert.equal(last.changed({ ...progress, percent: 6, secondsLeft: 20 }, tracked), true);
  });
});
