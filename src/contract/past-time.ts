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
 * Returns the time in a text, in milliseconds since 1970: a timestamp, a date, perhaps with a time, or how long ago it was, such
 * as `24h`. Undefined for any other text.
 */
export function pastTimeIn(text: string): number | undefined {
  const time = timeIn(text);
  return time !== undefined && isTimestamp(time) ? time : undefined;
}

/** Returns whether a number is a timestamp in milliseconds; 0 is the beginning of time. */
export function isTimestamp(time: number): boolean {
  return time === 0 || (time >= LEAST && time <= MOST);
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
  const thousandths = fraction.slice(0, 4);
  const utc = Date.parse(`${local}Z`);
  // An engine may take 30 February for 2 March.
  if (Number.isNaN(utc) || !new Date(utc).toISOString().startsWith(local)) return undefined;
  const offset = zone.length > 1 && !zone.includes(':') ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const point = Date.parse(`${local}${thousandths}${offset.toUpperCase()}`);
  if (zone !== '') return point;
  // In spring, clocks skip an hour. JavaScript reads a time in it as a later one, and files in between would be left out.
  const shown = point - new Date(point).getTimezoneOffset() * 60_000;
  return point - (shown - Date.parse(`${local}${thousandths}Z`));
}
