import assert from 'node:assert/strict';
import { expired, hasRules, type RetentionPolicy } from '../../src/backups/retention';

const none: RetentionPolicy = { last: 0, daily: 0, weekly: 0, monthly: 0 };

interface Backup {
  name: string;
  madeAt: Date;
}

/** Returns a backup made at a local time such as "2026-11-22 03:00"; without a time, at 03:00. */
function madeAt(time: string): Backup {
  return { name: time, madeAt: new Date(time.includes(' ') ? time : `${time} 03:00`) };
}

/** Returns the backups that stay when the last one was just made. */
function left(times: readonly string[], rules: Partial<RetentionPolicy>): string[] {
  const backups = times.map(madeAt);
  const newest = backups.at(-1);
  assert.ok(newest);
  const removed = expired(backups, newest, { ...none, ...rules });
  return backups.filter((backup) => !removed.includes(backup)).map(({ name }) => name);
}

/** Returns every day from the first to the last. */
function nights(first: string, last: string): string[] {
  const days: string[] = [];
  const [day, end] = [new Date(`${first} 03:00`), new Date(`${last} 03:00`)];
  for (; day <= end; day.setDate(day.getDate() + 1)) {
    days.push(`${day.getFullYear()}-${twoDigits(day.getMonth() + 1)}-${twoDigits(day.getDate())}`);
  }
  return days;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

describe('The retention policy', () => {
  it('keeps everything without a rule', () => {
    assert.equal(hasRules(none), false);
    assert.deepEqual(left(['2020-01-01', '2026-11-22'], none), ['2020-01-01', '2026-11-22']);
  });

  for (const rule of ['last', 'daily', 'weekly', 'monthly'] as const) {
    it(`keeps the newest of several backups in an hour if “${rule}” is the only rule`, () => {
      const rules = { ...none, [rule]: 1 };
      assert.equal(hasRules(rules), true);
      assert.deepEqual(left(['2026-11-22 03:00', '2026-11-22 03:01', '2026-11-22 03:02'], rules), [
        '2026-11-22 03:02',
      ]);
    });
  }

  const cases: [what: string, rules: Partial<RetentionPolicy>, times: string[], left: string[]][] = [
    [
      'the last three',
      { last: 3 },
      nights('2026-11-01', '2026-11-22'),
      ['2026-11-20', '2026-11-21', '2026-11-22'],
    ],
    ['all if there are fewer', { last: 3 }, ['2026-11-21', '2026-11-22'], ['2026-11-21', '2026-11-22']],
    [
      'the newest of each day',
      { daily: 2 },
      ['2026-11-20 23:59', '2026-11-21 00:00', '2026-11-21 23:59', '2026-11-22 00:00', '2026-11-22 00:01'],
      ['2026-11-21 23:59', '2026-11-22 00:01'],
    ],
    [
      'days with a backup, however long ago',
      { daily: 3 },
      ['2019-03-01', '2024-02-29', '2026-11-21', '2026-11-22'],
      ['2024-02-29', '2026-11-21', '2026-11-22'],
    ],
    [
      'the newest of each week, which ends on Sunday',
      { weekly: 3 },
      nights('2026-11-01', '2026-11-23'),
      ['2026-11-15', '2026-11-22', '2026-11-23'],
    ],
    [
      'the newest of each month',
      { monthly: 3 },
      nights('2026-01-01', '2026-04-10'),
      ['2026-02-28', '2026-03-31', '2026-04-10'],
    ],
    [
      'one backup for each of the same month in two years',
      { monthly: 2 },
      ['2025-11-22', '2026-11-21', '2026-11-22'],
      ['2025-11-22', '2026-11-22'],
    ],
    [
      'one backup for the week across New Year',
      { weekly: 2 },
      ['2020-12-27', '2020-12-28', '2020-12-31', '2021-01-01', '2021-01-03', '2021-01-04'],
      ['2021-01-03', '2021-01-04'],
    ],
    [
      'one backup for the last days of a year and the first week of the next',
      { weekly: 2 },
      ['2024-12-29', '2024-12-30', '2025-01-05'],
      ['2024-12-29', '2025-01-05'],
    ],
    [
      'one backup for each of the first weeks of two years',
      { weekly: 2 },
      ['2025-01-01', '2026-01-01'],
      ['2025-01-01', '2026-01-01'],
    ],
    [
      'what any of 7 daily, 4 weekly and 6 monthly keeps',
      { daily: 7, weekly: 4, monthly: 6 },
      nights('2026-01-01', '2026-11-22'),
      [
        ...['2026-06-30', '2026-07-31', '2026-08-31', '2026-09-30', '2026-10-31', '2026-11-01'],
        ...['2026-11-08', '2026-11-15', ...nights('2026-11-16', '2026-11-22')],
      ],
    ],
  ];
  for (const [what, rules, times, expected] of cases) {
    it(`keeps ${what}`, () => {
      assert.deepEqual(left(times, rules), expected);
    });
  }

  it('keeps the same backups whether it runs every night or once at the end', () => {
    const rules = { last: 2, daily: 7, weekly: 4, monthly: 6 };
    let kept: string[] = [];
    const all = nights('2024-11-01', '2026-03-10');
    for (const night of all) kept = left([...kept, night], rules);
    assert.deepEqual(kept, left(all, rules));
  });

  it('lists expired backups oldest first, whatever the order of its input', () => {
    const [one, two, three, four] = ['2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22'].map(madeAt);
    assert.ok(one && two && three && four);
    assert.deepEqual(expired([four, two, one, three], four, { ...none, last: 1 }), [one, two, three]);
  });

  it('counts backups from a time when the clock was ahead as the oldest', () => {
    const times = ['2076-01-01', '2076-01-02', '2026-11-20', '2076-01-03', '2026-11-21', '2026-11-22'];
    assert.deepEqual(left(times, { last: 3 }), ['2026-11-20', '2026-11-21', '2026-11-22']);
    assert.deepEqual(left(times, { last: 4 }), ['2026-11-20', '2076-01-03', '2026-11-21', '2026-11-22']);
  });

  it('keeps the newest backup, not the one with the latest date, after the clock was set back', () => {
    for (const rules of [{ last: 1 }, { daily: 1 }, { weekly: 1 }, { monthly: 1 }, { last: 1, monthly: 1 }]) {
      assert.deepEqual(left(['2099-01-01', '2099-01-02', '2026-11-22'], rules), ['2026-11-22']);
    }
  });
});

describe('A day in the retention policy', () => {
  const zone = process.env['TZ'];
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  const cases: [
    what: string,
    zone: string,
    times: string[],
    rules: Partial<RetentionPolicy>,
    left: number[],
  ][] = [
    [
      'begins at local midnight east of Greenwich',
      'Pacific/Auckland',
      ['2026-11-21T10:59:00Z', '2026-11-21T11:00:00Z', '2026-11-22T10:59:00Z'],
      { daily: 2 },
      [0, 2],
    ],
    [
      'begins at local midnight west of Greenwich',
      'America/Los_Angeles',
      ['2026-11-22T07:59:00Z', '2026-11-22T08:00:00Z', '2026-11-23T07:59:00Z'],
      { daily: 2 },
      [0, 2],
    ],
    [
      'may have 25 hours',
      'Europe/Berlin',
      ['2026-10-24T21:59:00Z', '2026-10-24T22:00:00Z', '2026-10-25T00:30:00Z', '2026-10-25T22:59:00Z'],
      { daily: 2 },
      [0, 3],
    ],
    [
      'may have 23 hours',
      'Europe/Berlin',
      ['2026-03-28T22:59:00Z', '2026-03-28T23:00:00Z', '2026-03-29T21:59:00Z', '2026-03-29T22:00:00Z'],
      { daily: 2 },
      [2, 3],
    ],
    [
      'belongs to its week although that Monday has no midnight',
      'Asia/Tehran',
      ['2021-03-21T12:00:00Z', '2021-03-22T12:00:00Z', '2021-03-28T12:00:00Z'],
      { weekly: 2 },
      [0, 2],
    ],
  ];
  for (const [what, where, times, rules, expected] of cases) {
    it(what, () => {
      process.env['TZ'] = where;
      const backups = times.map((time) => ({ madeAt: new Date(time) }));
      const newest = backups.at(-1);
      assert.ok(newest);
      const removed = expired(backups, newest, { ...none, ...rules });
      const indexes = backups.flatMap((backup, index) => (removed.includes(backup) ? [] : [index]));
      assert.deepEqual(indexes, expected);
    });
  }
});
