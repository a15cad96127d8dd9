import assert from 'node:assert/strict';
import type { NodeStatus } from 'node-red';
import { useTexts, words } from '../support/words';
import { type CallState, type LastEnd, statusOf } from '../../src/flow/action-status';
import type { DownloadProgress, JobProgress, JobRecord, JobStatus } from '../../src/records';
import type { Reachability } from '../../src/server';

function call(state: Partial<CallState> = {}): CallState {
  return {
    job: undefined,
    progress: null,
    queueState: undefined,
    isWaiting: false,
    delay: null,
    messagesSent: 0,
    isPaused: false,
    ...state,
  };
}

function job(status: JobStatus): JobRecord {
  return {
    ...{ id: '31', status, description: 'Scanning...', added: null, start: null, end: null },
    ...{ seconds: null, error: null, problems: null, problemCount: null, problemsBy: 'time' },
  };
}

const half: JobProgress = { percent: 50, task: null, secondsLeft: 20, stalled: false };
const download: DownloadProgress = { percent: 57, bytes: 57, total: 100, bytesPerSecond: 2048 };

const busy = call();
const waiting = call({ queueState: 'waiting', isWaiting: true });
const refused = call({ queueState: 'refused', isWaiting: true });
const asking = call({ queueState: 'asking' });
const interrupted = call({ queueState: 'refused' });
const queued = call({ job: job('READY') });
const running = call({ job: job('RUNNING') });
const stopping = call({ job: job('STOPPING') });
const advancing = call({ job: job('RUNNING'), progress: half });
const stalled = call({ job: job('RUNNING'), progress: { ...half, stalled: true } });
const downloading = call({ progress: download });
/** @param due when its scan starts, in milliseconds from now. */
const held = (due: number) => call({ delay: { due: performance.now() + due } });
/** @param files how many files its node waits for. */
const growing = (files: number) => call({ delay: { files } });

const there: Reachability = { reachable: true, release: 'v0.30.1', back: false };
const back: Reachability = { ...there, back: true };
const away: Reachability = { reachable: false };

const good: LastEnd = {
  ...{ type: 'sent', isGood: true, isStart: true },
  ...{ status: 'job.started', values: { job: '31' } },
};
const failed: LastEnd = { type: 'failed', case: 'UNAUTHORIZED.keyNeeded' };

const nothing: NodeStatus = {};
const label = (which: string) => words('server', `errors.${which}.label`);
const several = (queue: string, count: number) => words('server', `queue.${queue}`, { count });
const at = (state: string) => words('server', `progress.${state}`);
/** Node-RED's own text, which it has only in its runtime. */
const reachable = 'common.status.connected';

type Shown = [fill: NodeStatus['fill'], shape: NodeStatus['shape'], text: string];
type Case = [what: string, calls: CallState[], shown: Shown, reachability?: Reachability];

const underWay: Case[] = [
  ['a message that was just received', [busy], ['blue', 'dot', words('scan', 'status.busy')]],
  ['a message at the head of the queue', [asking], ['blue', 'dot', words('scan', 'status.busy')]],
  ['messages that wait in the queue', [asking, waiting, waiting], ['blue', 'ring', several('waiting', 2)]],
  ['a site that refuses requests', [refused, waiting], ['yellow', 'ring', several('refused', 2)]],
  [
    'a site that refuses a further request',
    [interrupted],
    ['yellow', 'ring', words('server', 'queue.refused_zero')],
  ],
  ['jobs in the queue of the server', [queued, queued], ['blue', 'ring', several('queued', 2)]],
  ['a job in the queue and a message', [queued, waiting], ['blue', 'ring', several('queued', 2)]],
  ['a job without known progress', [running], ['blue', 'dot', at('running')]],
  ['a running job rather than a queued one', [queued, running], ['blue', 'dot', `${at('running')} (+1)`]],
  [
    'a site that refuses requests rather than a running job',
    [running, refused],
    ['yellow', 'ring', several('refused', 1)],
  ],
  ['a job that is being stopped', [stopping], ['blue', 'dot', at('stopping')]],
  ['a job that has finished', [call({ job: job('FINISHED') })], ['blue', 'dot', at('finishing')]],
  ['the progress of a job', [advancing], ['blue', 'dot', '50 % · 20 s']],
  ['progress rather than anything else', [refused, running, advancing], ['blue', 'dot', '50 % · 20 s (+2)']],
  ['a job that has stalled', [stalled], ['yellow', 'ring', `${at('stalled')} · 50 %`]],
  ['the progress of the oldest message', [downloading, advancing], ['blue', 'dot', '57 % (+1)']],
  ['the rate of a download', [downloading], ['blue', 'dot', '57 % · 2 KiB/s']],
  ['that the server of a job is unreachable', [advancing], ['red', 'ring', label('UNREACHABLE')], away],
  ['a download although the server is unreachable', [downloading], ['blue', 'dot', '57 % · 2 KiB/s'], away],
  [
    'a new message although the server is unreachable',
    [busy],
    ['blue', 'dot', words('scan', 'status.busy')],
    away,
  ],
  [
    'progress rather than messages that a scan collects',
    [held(7500), advancing],
    ['blue', 'dot', '50 % · 20 s (+1)'],
  ],
  [
    '"busy" once the scan of collected messages is due',
    [held(-500)],
    ['blue', 'dot', words('scan', 'status.busy')],
  ],
  ['a job after the server is back', [running], ['blue', 'dot', at('running')], back],
];

describe('The status of an action node with messages under way', () => {
  const RED = useTexts('scan');

  it('shows how many messages a scan collects and when it starts, and is rendered again each second', () => {
    const text = `${several('held', 2)} · 8 s`;
    const status = statusOf(RED, [held(7500), busy, held(7500)], undefined, undefined);
    assert.deepEqual(status, { fill: 'blue', shape: 'ring', text, changes: true });
  });

  it('shows for how many files messages wait, and is rendered again each second', () => {
    const status = statusOf(RED, [growing(2), growing(2), growing(2)], undefined, undefined);
    assert.deepEqual(status, { fill: 'blue', shape: 'ring', text: several('files_other', 2), changes: true });
  });

  it('shows the messages that a scan collects rather than those that wait for files', () => {
    const status = statusOf(RED, [growing(2), held(7500)], undefined, undefined);
    assert.equal(status.text, `${several('held', 1)} · 8 s`);
  });

  it('counts fewer words if messages wait for many files', () => {
    assert.equal(statusOf(RED, [growing(100)], undefined, undefined).text, several('waiting', 100));
  });

  it('omits when the scan starts if there is no room for it', () => {
    const calls = Array.from({ length: 1234 }, () => held(75_000));
    assert.equal(statusOf(RED, calls, undefined, undefined).text, several('held', 1234));
  });

  for (const [what, calls, [fill, shape, text], reachability] of underWay) {
    it(`shows ${what}`, () => {
      assert.deepEqual(statusOf(RED, calls, reachability, undefined), { fill, shape, text });
      assert.deepEqual(
        statusOf(RED, calls, reachability, { end: good }),
        { fill, shape, text },
        'the result of an earlier message changes nothing',
      );
    });
  }
});

describe('The status of an action node whose message left when its job had started', () => {
  const RED = useTexts('scan');

  const waits = at('running');
  const cases: [what: string, call: CallState, shown: Shown][] = [
    [
      'the start while nothing else is known',
      call(),
      ['green', 'dot', words('server', 'status.job.started', { job: '31' })],
    ],
    ['that the job runs', running, ['blue', 'dot', waits]],
    ['its progress', advancing, ['blue', 'dot', '50 % · 20 s']],
    [
      'that the job has finished',
      call({ job: { ...job('FINISHED'), seconds: 60 } }),
      ['green', 'dot', words('server', 'status.job.finished', { time: '1 min' })],
    ],
    [
      'that the job has failed',
      call({ job: job('FAILED') }),
      ['yellow', 'ring', words('server', 'status.job.failed')],
    ],
    [
      'that the job was cancelled',
      call({ job: job('CANCELLED') }),
      ['yellow', 'ring', words('server', 'status.job.cancelled')],
    ],
  ];
  for (const [what, started, [fill, shape, text]] of cases) {
    it(`shows ${what}`, () => {
      assert.deepEqual(statusOf(RED, [], there, { end: good, call: started }), { fill, shape, text });
    });
  }

  it('does not show an earlier job once another message has ended', () => {
    const { text } = statusOf(RED, [], there, { end: failed, call: running });
    assert.equal(text, label('UNAUTHORIZED'));
  });
});

const idle: [
  what: string,
  end: LastEnd | undefined,
  reachability: Reachability | undefined,
  Shown | undefined,
][] = [
  ['nothing while nothing is known', undefined, undefined, undefined],
  ['that the server is reachable', undefined, there, ['green', 'ring', reachable]],
  ['that the server is unreachable', undefined, away, ['red', 'ring', label('UNREACHABLE')]],
  [
    'a result rather than that the server is reachable',
    good,
    there,
    ['green', 'dot', words('server', 'status.job.started', { job: '31' })],
  ],
  [
    'a result that is not a success',
    { type: 'sent', isGood: false, status: 'noFiles', values: {} },
    there,
    ['yellow', 'ring', words('scan', 'status.noFiles')],
  ],
  ['the label of an error', failed, there, ['red', 'ring', label('UNAUTHORIZED')]],
  [
    'that a folder is missing rather than that Stash is not ready',
    { type: 'failed', case: 'SERVER_STATE.folderEmpty' },
    there,
    ['red', 'ring', label('SERVER_STATE.folderEmpty')],
  ],
  [
    'an error rather than that the server is unreachable',
    failed,
    away,
    ['red', 'ring', label('UNAUTHORIZED')],
  ],
  ['an unexpected error without a case', { type: 'failed', case: undefined }, there, ['red', 'ring', '']],
  ['nothing after a reset', { type: 'reset' }, there, undefined],
];

describe('The status of an action node without a message', () => {
  const RED = useTexts('scan');

  for (const [what, end, reachability, shown] of idle) {
    it(`shows ${what}`, () => {
      const [fill, shape, text] = shown ?? [];
      const status = shown ? { fill, shape, text } : nothing;
      assert.deepEqual(statusOf(RED, [], reachability, end && { end }), status);
    });
  }
});
