import { isFilled } from '../contract/values';

/** Returns the items of a JSON list, or any other JSON value as the only item. */
export function listOf(json: string): unknown[] {
  return [JSON.parse(json) as unknown].flat();
}

/** Returns the texts and whole numbers in a JSON list, as texts; none if it is not JSON. */
export function textsIn(json: string): string[] {
  try {
    const items = listOf(json);
    return items.filter((item) => isFilled(item) || Number.isSafeInteger(item)).map(String);
  } catch {
    return [];
  }
}
