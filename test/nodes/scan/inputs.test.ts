import assert from 'node:assert/strict';
import vm from 'node:vm';
import { pastTime } from '../../../nodes/scan/inputs';
import type { ErrorCase } from '../../../src/errors';

describe('A typed input for a time', () => {
  const time = pastTime('minModTime', 'any');

  async function read(result: unknown): Promise<number | null> {
    return await time.read({ minModTime: 'since', minModTimeType: 'msg' }, () => Promise.resolve(result));
  }

  it('evaluates nothing and is null if its type says so, or is missing', async () => {
    const unused = () => assert.fail('nothing is evaluated');
    assert.equal(await time.read({}, unused), null);
    assert.equal(await time.read({ minModTime: 'x', minModTimeType: 'any' }, unused), null);
  });

  it('knows no other types than the dialog', async () => {
    for (const minModTimeType of ['json', 'num', 'date', '']) {
      await assert.rejects(
        time.read({ minModTime: '1', minModTimeType }, () => Promise.resolve(1)),
        { case: 'BAD_INPUT.unknownChoice' },
      );
    }
  });

  const local = (...parts: [number, number, number, ...number[]]) => new Date(...parts).getTime();
  const good: [what: string, result: unknown, time: number][] = [
    ['a timestamp in milliseconds', 1_785_513_600_000, 1_785_513_600_000],
    ['such a timestamp as text', ' 1785513600000 ', 1_785_513_600_000],
    ['the beginning of time', 0, 0],
    ['the beginning of time as text', '0', 0],
    ['a Date', new Date(1_785_513_600_000), 1_785_513_600_000],
    ['a Date of a function node', vm.runInNewContext('new Date(1785513600000)'), 1_785_513_600_000],
    ['a date', '2026-07-31', local(2026, 6, 31)],
    ['a date and a time', '2026-07-31 18:05', local(2026, 6, 31, 18, 5)],
    ['a date and a time with seconds', '2026-07-31T18:05:09', local(2026, 6, 31, 18, 5, 9)],
    ['UTC', '2026-07-31T18:05:09Z', Date.UTC(2026, 6, 31, 18, 5, 9)],
    ['UTC in small letters', '2026-07-31t18:05z', Date.UTC(2026, 6, 31, 18, 5)],
    ['milliseconds', '2026-07-31T18:05:09.250Z', Date.UTC(2026, 6, 31, 18, 5, 9, 250)],
    [
      'nanoseconds, as Stash sends them',
      '2026-07-31T18:05:09.250999999+02:00',
      Date.UTC(2026, 6, 31, 16, 5, 9, 250),
    ],
    ['an offset', '2026-07-31 18:05 +02:00', Date.UTC(2026, 6, 31, 16, 5)],
    ['an offset without a colon', '2026-07-31T18:05-0330', Date.UTC(2026, 6, 31, 21, 35)],
    ['the last day of a leap year’s February', '2028-02-29T00:00Z', Date.UTC(2028, 1, 29)],
  ];
  for (const [what, result, expected] of good) {
    it(`accepts ${what}`, async () => {
      assert.equal(await read(result), expected);
    });
  }

  it('takes a time that clocks skip in spring as an earlier one, so that nothing is left out', async () => {
    const zone = process.env['TZ'];
    process.env['TZ'] = 'Europe/Berlin';
    try {
      assert.equal(await read('2026-03-29 01:30'), Date.UTC(2026, 2, 29, 0, 30));
      assert.equal(await read('2026-03-29 02:30:00.250'), Date.UTC(2026, 2, 29, 0, 30, 0, 250));
      assert.equal(await read('2026-03-29 03:00'), Date.UTC(2026, 2, 29, 1));
    } finally {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
  });

  const HOUR = 3_600_000;
  for (const [duration, milliseconds] of [
    ['90s', 90_000],
    ['1 second', 1000],
    ['5m', 300_000],
    ['90 min', 1.5 * HOUR],
    ['1 minute', 60_000],
    ['24h', 24 * HOUR],
    ['1.5 Hours', 1.5 * HOUR],
    ['7 days', 168 * HOUR],
    ['2w', 336 * HOUR],
    ['0h', 0],
  ] as const) {
    it(`takes ${duration} for that long ago`, async () => {
      const before = Date.now() - milliseconds;
      const moment = (await read(duration)) ?? NaN;
      assert.ok(moment >= before && moment <= Date.now() - milliseconds, String(moment - before));
    });
  }

  const wrong: [what: string, result: unknown, error: ErrorCase][] = [
    ['nothing', undefined, 'BAD_INPUT.empty'],
    ['null', null, 'BAD_INPUT.empty'],
    ['an empty text', '  ', 'BAD_INPUT.empty'],
    ['a word', 'yesterday', 'BAD_INPUT.notTime'],
    ['seconds since 1970', 1_785_513_600, 'BAD_INPUT.notTime'],
    ['seconds since 1970 as text', '1785513600', 'BAD_INPUT.notTime'],
    ['a negative timestamp', -1, 'BAD_INPUT.notTime'],
    ['a time after the year 9999', 1e15, 'BAD_INPUT.notTime'],
    ['NaN', NaN, 'BAD_INPUT.notTime'],
    ['an infinite number', Infinity, 'BAD_INPUT.notTime'],
    ['an invalid Date', new Date(NaN), 'BAD_INPUT.notTime'],
    ['30 February', '2026-02-30', 'BAD_INPUT.notTime'],
    ['29 February of another year', '2026-02-29T00:00Z', 'BAD_INPUT.notTime'],
    ['a month 13', '2026-13-01', 'BAD_INPUT.notTime'],
    ['an hour 24', '2026-07-31 24:00', 'BAD_INPUT.notTime'],
    ['a minute 60', '2026-07-31 10:60', 'BAD_INPUT.notTime'],
    ['an offset of 99 hours', '2026-07-31T10:00+99:00', 'BAD_INPUT.notTime'],
    ['a date in another order', '31.07.2026', 'BAD_INPUT.notTime'],
    ['a time alone', '18:00', 'BAD_INPUT.notTime'],
    ['a duration without a unit', '24', 'BAD_INPUT.notTime'],
    ['a duration of months', '2 months', 'BAD_INPUT.notTime'],
    ['a negative duration', '-24h', 'BAD_INPUT.notTime'],
    ['a duration to before 1970', '99999w', 'BAD_INPUT.notTime'],
    ['a list', ['24h'], 'BAD_INPUT.notTime'],
    ['true', true, 'BAD_INPUT.notTime'],
    ['an object', {}, 'BAD_INPUT.notTime'],
    ['a text of 4 MiB', '1'.repeat(4 * 2 ** 20), 'BAD_INPUT.notTime'],
  ];
  for (const [what, result, error] of wrong) {
    it(`of ${what} leads to BAD_INPUT`, async () => {
      await assert.rejects(read(result), {
        case: error,
        details: { property: 'minModTime', source: 'msg.since' },
      });
    });
  }
});
