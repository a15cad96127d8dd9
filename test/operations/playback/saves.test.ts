import assert from 'node:assert/strict';
import { savesIn } from '../../../src/operations/playback/saves';

const line = (message: string, level = 'Trace', time = '2026-01-11T04:41:59.1Z') => ({
  time,
  level,
  message,
});
const statement = (set: string, values: string) =>
  `SQL: UPDATE \`scenes\` SET ${set} WHERE (\`scenes\`.\`id\` = ?) [[${values}]]`;
const BOTH = '`play_duration`=play_duration + ?,`resume_time`=?';

describe('A line of the log', () => {
  it('that saves what was watched says which scene, how long and where', () => {
    for (const [set, values, save] of [
      [BOTH, '10 14 1', { id: '1', seconds: 10, position: 14 }],
      [BOTH, '3 3.460293 12', { id: '12', seconds: 3, position: 3.460293 }],
      [BOTH, '0 1.2e+06 7', { id: '7', seconds: 0, position: 1_200_000 }],
      ['`play_duration`=play_duration + ?', '600 5', { id: '5', seconds: 600, position: undefined }],
      ['`resume_time`=?', '75.5 5', { id: '5', seconds: 0, position: 75.5 }],
    ] as const)
      assert.deepEqual(savesIn([line(statement(set, values))]), [{ ...save, isLater: false }]);
  });

  it('that saves what was played on DLNA, minutes after its end, says that it was earlier', () => {
    const ended =
      '[DLNA Activity] Session completed: scene=1, client=127.0.0.1, duration=90.0s, percent=33.5%';
    const saves = [line(statement(BOTH, '30.1 30.1 1')), line(statement(BOTH, '10 14 12'))];
    const later = (lines: Parameters<typeof savesIn>[0]) => savesIn(lines).map(({ isLater }) => isLater);
    assert.deepEqual(later([line(ended, 'Debug'), ...saves]), [true, false]);
    assert.deepEqual(later([line(ended), line(`x ${ended}`, 'Debug'), ...saves]), [false, false]);
  });

  it('of anything else is no save', () => {
    for (const message of [
      // A reset, an edit, an import; since v0.18.0.
      statement('`resume_time`=?', '0 1'),
      statement('`play_duration`=?,`resume_time`=?', '0 0 1'),
      statement('`play_duration`=?,`updated_at`=?', '60 2026-01-11T04:41:59Z 1'),
      statement('`title`=?', `${statement(BOTH, '10 14 1')} 1`),
      statement(BOTH, '10 14'),
      statement(BOTH, '10 14 1 2'),
      statement(BOTH, '- . 1'),
      `[Plugin / x] ${statement(BOTH, '10 14 1')}`,
      `${statement(BOTH, '10 14 1')}\n`,
      statement(BOTH, '10 14 1').replace('scenes', 'images'),
    ])
      assert.deepEqual(savesIn([line(message)]), [], message);
    assert.deepEqual(savesIn([line(statement(BOTH, '10 14 1'), 'Info')]), []);
  });

  it('comes in the order in which players have saved, whatever the order of the batch', () => {
    const times = ['2026-01-11T04:42:01.2Z', '2026-01-11T04:42:00.1Z', '2026-01-11T04:42:01.1Z'];
    const batch = times.map((time, index) => line(statement(BOTH, `10 ${10 * index} 1`), 'Trace', time));
    assert.deepEqual(
      savesIn(batch).map(({ position }) => position),
      [10, 20, 0],
    );
  });
});
