import { isDate } from 'node:util/types';
import { isTimestamp, pastTimeIn } from '../../src/contract/past-time';
import { StashError } from '../../src/errors';
import { type EvaluatedProperty, TEXT_TYPES, trimmed, typed, unlessType } from '../../src/flow';

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
    const time = typeof value === 'string' ? pastTimeIn(trimmed(value, details)) : timestampOf(value);
    if (time === undefined) throw new StashError('BAD_INPUT.notTime', { details });
    return time;
  });
  return unlessType(everything, { name, presetType: everything }, given);
}

function timestampOf(value: unknown): number | undefined {
  // A function node makes the dates of another realm, for which `instanceof` is false.
  const time = isDate(value) ? value.getTime() : value;
  return typeof time === 'number' && isTimestamp(time) ? time : undefined;
}
