import assert from 'node:assert/strict';
import { useTexts } from '../../support/words';
import {
  detailsOf,
  endOf,
  replyOfTask,
  startOf,
  textOfProgress,
  textOfStatus,
  valuesOf,
} from '../../../src/flow/words';
import { type JobRecord, type JobStatus, type Problem, titleOf } from '../../../src/records';

function record(changes: Partial<JobRecord> = {}): JobRecord {
  return {
    ...{ id: '31', status: 'FINISHED', description: 'Generating...', added: null, start: null, end: null },
    ...{ seconds: 4, error: null, problems: null, problemCount: null, problemsBy: 'time' },
    ...changes,
  };
}

const problem = (text: string): Problem => ({ time: '2026-11-21T03:00:01Z', level: 'error', text });

describe('The words about a job', () => {
  const RED = useTexts();

  it('use the description of the server without its trailing dots', () => {
    assert.equal(valuesOf(record()).description, 'Generating');
    assert.equal(titleOf('Migrating v1.2...'), 'Migrating v1.2');
    assert.equal(titleOf('...'), '');
    // The server may send a text of any length.
    assert.equal(titleOf(`${'.'.repeat(1_000_000)}x`).length, 1_000_001);
  });

  it('quote a single problem in one short line', () => {
    const [first] = detailsOf(record({ problems: [problem('a.mp4 is odd\nmore of it')], problemCount: 1 }));
    assert.deepEqual(first, { key: 'job.problem', values: { text: 'a.mp4 is odd' } });
    const [long] = detailsOf(record({ problems: [problem('x'.repeat(300))], problemCount: 1 }));
    assert.deepEqual(long, { key: 'job.problem', values: { text: `${'x'.repeat(99)}…` } });
  });

  it('count several problems, and say nothing of problems if they are unknown', () => {
    const problems = [problem('one'), problem('two')];
    const [several] = detailsOf(record({ problems, problemCount: 2 }));
    assert.deepEqual(several, { key: 'job.problems', values: { count: 2 } });
    const [none] = detailsOf(record({ problems: [], problemCount: 0 }));
    assert.deepEqual(none, { key: 'job.problems', values: { count: 0 } });
    assert.deepEqual(
      detailsOf(record()).map(({ key }) => key),
      ['job.time'],
    );
  });

  it('say that a job had nothing to do only if its log has no problems', () => {
    const outcomes = [0, 1, null].map(
      (problemCount) =>
        replyOfTask(
          { operation: 'metadataGenerate', job: record({ problemCount }), isIdle: true },
          'Generating',
        ).outcome,
    );
    assert.deepEqual(outcomes, ['job.idle', 'job.finished', 'job.finished']);
  });

  it('say whether a new job runs, waits or was only accepted', () => {
    const started = { id: '40', status: 'STARTED' } as const;
    const values = { what: 'Scan', job: '40' };
    const id = { key: 'job.id', values: { job: '40' } };
    const words = { payload: started, isStart: true, values, details: [id] };
    assert.deepEqual(startOf(started, 'Scan'), { ...words, outcome: 'job.started' });
    assert.deepEqual(startOf({ ...started, behind: null }, 'Scan'), { ...words, outcome: 'job.accepted' });
    assert.deepEqual(startOf({ ...started, behind: 2 }, 'Scan'), {
      ...words,
      outcome: 'job.queued',
      details: [id, { key: 'job.behind', values: { count: 2 } }],
    });
  });

  it('contain no id if the job has none', () => {
    const { values, details } = startOf({ id: null, status: 'STARTED' }, 'Scan');
    assert.deepEqual([values.job, details], ['–', []]);
  });

  it('show "stopping" in the status, without a time left', () => {
    const progress = { percent: 33, task: 'one', secondsLeft: 26, stalled: false };
    assert.equal(textOfProgress(RED, progress, 0, record({ status: 'RUNNING' })), '33 % · 26 s');
    assert.equal(textOfProgress(RED, progress, 0, record({ status: 'STOPPING' })), 'stopping');
    assert.equal(textOfProgress(RED, progress, 2, record({ status: 'STOPPING' })), 'stopping (+2)');
    const stalled = { ...progress, percent: 33, stalled: true };
    assert.equal(textOfProgress(RED, stalled, 99), 'stalled · 33 % (+99)');
    assert.equal(textOfProgress(RED, stalled, 999), 'stalled · 33 %', 'a status has no room for more');
  });

  for (const [status, text] of [
    ['RUNNING', 'running'],
    ['STOPPING', 'stopping'],
    ['CANCELLED', 'stopping'],
    ['FINISHED', 'finishing'],
    ['LOST', 'finishing'],
  ] as [JobStatus, string][]) {
    it(`show the state of a job without known progress: ${status}`, () => {
      assert.equal(textOfStatus(RED, record({ status })), text);
      assert.equal(textOfStatus(RED, record({ status }), 3), `${text} (+3)`);
    });
  }
});

const keys = (changes: Partial<JobRecord>) =>
  detailsOf(record({ problems: [], problemCount: 0, seconds: 4.2, ...changes })).map(({ key }) => key);

describe('The words about a finished job', () => {
  it('state the problems and the duration', () => {
    assert.deepEqual(keys({}), ['job.problems', 'job.time']);
    assert.deepEqual(keys({ problems: null, problemCount: null }), ['job.time']);
  });

  it('omit a duration that is unknown or below 0.1 s, and show "done" then', () => {
    for (const seconds of [0, 0.04, 0.099, null]) {
      assert.deepEqual(keys({ seconds }), ['job.problems']);
      assert.equal(endOf(record({ seconds }), 'Scan').status, 'job.done');
    }
    assert.equal(endOf(record({ seconds: 0.1 }), 'Scan').status, undefined);
  });

  it('are empty if neither is known', () => {
    assert.deepEqual(keys({ seconds: 0, problems: null, problemCount: null }), []);
  });
});
