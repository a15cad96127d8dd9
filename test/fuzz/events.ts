import * as fc from 'fast-check';
import type { FakeStash } from '../fake-stash/fake-stash';
import type { Release } from '../fake-stash/releases';
import type { Kind } from './kind';
import { tryOut } from './lab';
import { type Change, change, changed, type Damage, damage, damaged, jsonOf } from './mutations';

/** What happens in the place of an event. */
type Disturbance =
  | 'nothing'
  | 'missing'
  | 'twice'
  | 'late'
  | 'again'
  | { changes: readonly Change[] }
  | { damage: Damage }
  | { text: string }
  | { bytes: string }
  | { close: number }
  | 'cut'
  | 'freeze';

interface Case {
  release: Release;
  /** For one event after the other, from the start again after the last. */
  disturbances: readonly Disturbance[];
  failure: string | undefined;
  lateUpdates: boolean;
}

const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Disturbance>('nothing', 'missing', 'twice', 'late', 'again') },
  { weight: 4, arbitrary: fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 2 }) }) },
  fc.record({ damage }),
  fc.record({
    text: fc.constantFrom(
      '',
      'null',
      '[]',
      '{"type":"next"}',
      '{"type":"odd"}',
      '{"type":"next","id":"nobody","payload":{"data":null}}',
      '{"type":"error","id":"1","payload":null}',
      '{"type":"complete"}',
      '{"type":"connection_ack"}',
      '{"type":"ping"}',
      '['.repeat(20_000),
    ),
  }),
  fc.record({ bytes: fc.constantFrom('', '\xff\xfe\x00', '{}') }),
  fc.record({ close: fc.constantFrom(1000, 1001, 1011, 4400, 4499) }),
  fc.constantFrom<Disturbance>('cut', 'freeze'),
);

const finished = { reply: 'finished', waitLimit: '0.02', stalledAfter: '0.001' };

/** The nodes that follow jobs, whatever they start. */
const nodes = {
  scan: { listNew: '2', ...finished },
  generate: { sprites: true, ...finished },
  task: { task: 'metadataAutoTag', sendFailed: true, ...finished },
  stop: { jobType: 'all' },
  jobs: { progress: true, reach: true },
  new: { images: true },
};

/** Events of jobs and of the log: missing, twice, in another order, malformed. */
export const events: Kind<Case> = {
  name: 'events',
  cases: fc.record({
    release: fc.constantFrom('documented', 'v0.17.2', 'v0.25.1', 'v0.28.1', 'v0.30.1'),
    disturbances: fc.array(disturbance, { minLength: 1, maxLength: 8 }),
    failure: fc.constantFrom(undefined, 'no space left on device'),
    lateUpdates: fc.boolean(),
  }),
  check: ({ release, disturbances, failure, lateUpdates }) =>
    tryOut({
      stash: { release },
      auth: 'apiKey',
      nodes,
      prepare: (stash) => {
        Object.assign(stash.jobs, { failure, lateUpdates });
        stash.sockets.distort = distortion(stash, disturbances);
      },
    }),
};

function distortion(stash: FakeStash, disturbances: readonly Disturbance[]) {
  let count = 0;
  let late: string[] = [];
  let last: string[] = [];
  return (text: string): (string | Buffer)[] => {
    const how = disturbances[count++ % disturbances.length] ?? 'nothing';
    const before = last;
    const held = late;
    last = [text];
    late = how === 'late' ? [text] : [];
    if (how === 'late' || how === 'missing') return held;
    if (how === 'nothing') return [text, ...held];
    if (how === 'twice') return [text, text, ...held];
    if (how === 'again') return [text, ...before, ...held];
    if (how === 'cut') stash.sockets.cut();
    else if (how === 'freeze') stash.sockets.freeze();
    else if ('close' in how) stash.sockets.close(how.close, 'disturbed');
    else if ('text' in how) return [how.text, ...held];
    else if ('bytes' in how) return [Buffer.from(how.bytes, 'latin1'), ...held];
    else if ('damage' in how) return [damaged(Buffer.from(text), how.damage).toString(), ...held];
    else return [jsonOf(how.changes.reduce<unknown>(changed, JSON.parse(text))), ...held];
    return held;
  };
}
