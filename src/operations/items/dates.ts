import type { Schema } from '../../server';

const DAY = /^(\d{4}-\d\d-\d\d)(?:[T ].*)?$/;
const PARTIAL_DATE = /^\d{4}(?:-\d\d)?$/;

/**
 * Returns a day, `YYYY-MM-DD`; of a point in time, its day. Also a year or a month, `YYYY` or `YYYY-MM`, since v0.30.0: the
 * release in which studios got several addresses. Undefined for any other text.
 */
export function dateIn(text: string, schema: Schema): string | undefined {
  const isPartial = PARTIAL_DATE.test(text) && schema.has('Studio', 'urls');
  const found = isPartial ? text : (DAY.exec(text)?.[1] ?? '');
  const time = Date.parse(found);
  // JavaScript reads 30 February as a day in March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(found) ? found : undefined;
}
