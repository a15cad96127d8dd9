import type { Schema } from '../server';

/**
 * Readers of texts as sites and people write them, for the fields of a performer that Stash holds as another type. Each returns
 * undefined for a text that it cannot read.
 */
export type ValueReader = (text: string, schema: Schema) => string | number | undefined;

const AMOUNT = /^(\d+(?:[.,]\d+)?)\s*([a-z]*)\.?$/i;
/** Feet, with or without inches: 5'7", 5 ft 7 in. */
const FEET =
  /^(\d)\s*(?:['′’]|ft\.?|feet|foot)\s*(?:(\d{1,2}(?:[.,]\d+)?)\s*(?:["″”]|''|in\.?|inch(?:es)?)?)?$/i;
const DAY = /^(\d{4}-\d\d-\d\d)(?:[T ].*)?$/;

const LENGTHS = { '': 1, cm: 1, m: 100, in: 2.54 };
const WEIGHTS = { '': 1, kg: 1, lb: 0.4536, lbs: 0.4536 };

/** The tallest and the heaviest that is believed: a text above is in another unit, or no number for a person. */
const TALLEST = 300;
const SMALLEST = 30;
const HEAVIEST = 700;

/** A height in whole centimetres. A number without a unit is in centimetres, as scrapers give it. */
export const height: ValueReader = (text) => {
  const [, feet, inches = '0'] = FEET.exec(text) ?? [];
  const found = feet === undefined ? amountOf(text, LENGTHS) : (Number(feet) * 12 + numberOf(inches)) * 2.54;
  return found !== undefined && found >= SMALLEST && found <= TALLEST ? Math.round(found) : undefined;
};

/** A weight in whole kilograms. A number without a unit is in kilograms, as scrapers give it. */
export const weight: ValueReader = (text) => {
  const found = amountOf(text, WEIGHTS);
  return found !== undefined && found >= 1 && found <= HEAVIEST ? Math.round(found) : undefined;
};

/** A length in centimetres. */
export const length: ValueReader = (text) => amountOf(text, LENGTHS);

/** A day, `YYYY-MM-DD`; of a point in time, its day. */
export const day: ValueReader = (text) => {
  const [, found] = DAY.exec(text) ?? [];
  const time = Date.parse(`${found ?? ''}T00:00:00Z`);
  // JavaScript reads 30 February as a day in March.
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === found ? found : undefined;
};

const GENDERS: Readonly<Record<string, string>> = {
  F: 'FEMALE',
  WOMAN: 'FEMALE',
  M: 'MALE',
  MAN: 'MALE',
  TRANS_FEMALE: 'TRANSGENDER_FEMALE',
  TRANS_WOMAN: 'TRANSGENDER_FEMALE',
  TRANS_MALE: 'TRANSGENDER_MALE',
  TRANS_MAN: 'TRANSGENDER_MALE',
  NONBINARY: 'NON_BINARY',
};

/** A gender. Scrapers give a free text, Stash holds one of a list. */
export const gender: ValueReader = (text, schema) => choiceOf(schema, 'GenderEnum', text, GENDERS);

/** Stash misspells the type (v0.21.0 to v0.30.1). */
export const circumcised: ValueReader = (text, schema) => choiceOf(schema, 'CircumisedEnum', text, {});

function choiceOf(schema: Schema, type: string, text: string, others: Readonly<Record<string, string>>) {
  const name = text.toUpperCase().replace(/[\s_-]+/g, '_');
  const choice = others[name] ?? name;
  return schema.has(type, choice) ? choice : undefined;
}

function amountOf(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const [, number, unit = ''] = AMOUNT.exec(text) ?? [];
  const factor = units[unit.toLowerCase()];
  return number === undefined || factor === undefined ? undefined : numberOf(number) * factor;
}

function numberOf(text: string): number {
  return Number(text.replace(',', '.'));
}
