import { isRecord, isString } from '../../guards';
import type { RawItem } from './items';

/** Returns a record or the records in a list. */
export function listOf(value: unknown): RawItem[] {
  return [value].flat().filter(isRecord);
}

export function namesOf(value: unknown): string[] {
  return listOf(value).map(nameIn).filter(isString);
}

export function nameIn(value: unknown): string | null {
  return isRecord(value) ? textOrNull(value['name']) : null;
}

/** Returns the rating from 0 to 100, where 1 of 5 stars is 20. */
export function ratingOf({ rating100, rating }: RawItem): number | null {
  const stars = numberOrNull(rating);
  return numberOrNull(rating100) ?? (stars === null ? null : stars * 20);
}

export function textOrNull(value: unknown): string | null {
  return isString(value) && value !== '' ? value : null;
}

/** Reads a number, or the text of one: a size was a text before v0.17. */
export function numberOrNull(value: unknown): number | null {
  const number = isString(value) && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
