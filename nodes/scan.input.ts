import { isDate } from 'node:util/types';
import { StashError } from '../src/errors';
import { type EvaluatedProperty, TEXT_TYPES, trimmed, typed, unlessType } from '../src/flow';

/** In milliseconds. */
const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const DURATION =
  /^(?<count>\d{1,9}(?:\.\d{1,3})?) ?(?<unit>s|seconds?|m|min|minutes?|h|hours?|d|days?|w|weeks?)$/i;

const TIME =
  /^(?<date>\d{4}-\d\d-\d\d)(?:[T ](?<time>\d\d:\d\d(?::\d\d)?)(?<fraction>\.\d{1,9})? ?(?<zone>Z|[+-]\d\d:?\d\d)?)?$/i;

/** Timestamps below, up to March 1973, are seconds by mistake. */
const LEAST = 100_000_000_000;
/** The end of the year 9999, after which the text of a time has another form. */
const MOST = 253_402_300_799_999;

/**
 * A typed input for a time, read as milliseconds since 1970; null if its type is `everything`, the default. Accepts:
 *
 * - a timestamp in milliseconds, as number or text, as inject nodes send it; 0 is the beginning of time
 * - a `Date`
 * - a date, perhaps with a time, and with `Z` or an offset, in the form of ISO 8601; without one, in Node-RED's time zone
 * - how long ago, such as `24h`, `7 days` or `90 min`
 */
export function pastTime(name: string, everything: string): EvaluatedProperty<number | null> {
  const given = typed(name, { value: '', type: everything }, TEXT_TYPES, (value, details) => {
    const text = typeof value === 'string' ? trimmed(value, details) : undefined;
    const time = text === undefined ? timestampOf(value) : timeIn(text);
    if (!isTimestamp(time)) throw new StashError('BAD_INPUT.notTime', { details });
    return time;
  });
  return unlessType(everything, { name, presetType: everything }, given);
}

function timestampOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  // A function node makes the dates of another realm, for which `instanceof` is false.
  return isDate(value) ? value.getTime() : undefined;
}

function timeIn(text: string): number | undefined {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const { count, unit } = DURATION.exec(text)?.groups ?? {};
  if (count !== undefined && unit !== undefined) {
    return Math.round(Date.now() - Number(count) * (UNITS[unit.charAt(0).toLowerCase()] ?? NaN));
  }
  return pointIn(text);
}

function pointIn(text: string): number | undefined {
  const { date, time = '00:00', fraction = '', zone = '' } = TIME.exec(text)?.groups ?? {};
  if (date === undefined) return undefined;
  const local = `${date}T${time.length === 5 ? `${time}:00` : time}`;
  const utc = Date.parse(`${local}Z`);
  // An engine may take 30 February for 2 March.
  if (Number.isNaN(utc) || !new Date(utc).toISOString().startsWith(local)) return undefined;
  const offset = zone.length > 1 && !zone.includes(':') ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  return Date.parse(`${local}${fraction.slice(0, 4)}${offset.toUpperCase()}`);
}

function isTimestamp(time: number | undefined): time is number {
  return time !== undefined && (time === 0 || (time >= LEAST && time <= MOST));
}
