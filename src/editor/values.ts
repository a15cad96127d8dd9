import { isFilled } from '../contract/values';

/** Returns the items of a JSON list, or any other JSON value as the only item. */
export function listOf(json: string): unknown[] {
  return [JSON.parse(json) as unknown].flat();
}

/** Returns the texts and whole numbers in a JSON list, as texts; none if it is not JSON. */
export function textsIn(json: string): string[] {
  return textsAndNumbersIn(json).map(String);
}

/** Returns the texts and whole numbers in a JSON list; none if it is not JSON. */
export function textsAndNumbersIn(json: string): (string | number)[] {
  try {
    return listOf(json).filter(
      (item): item is string | number => isFilled(item) || Number.isSafeInteger(item),
    );
  } catch {
    return [];
  }
}

/** The longest value in a node's label, in UTF-16 units. */
const LONGEST = 24;
/** The longest path that a label shows as a whole, in UTF-16 units. */
const LONGEST_PATH = 16;

/** Shortens a value for the label of a node. A path that is too long keeps its last name. */
export function shortened(value: string): string {
  const text = value.trim();
  const short = text.length > LONGEST ? lastName(text) : text;
  return short.length > LONGEST ? `${short.slice(0, LONGEST - 1)}…` : short;
}

/** Shortens a path to its last name, unless it is short. */
export function shortPath(path: string): string {
  const text = path.trim();
  return text.length > LONGEST_PATH ? `…/${lastName(text)}` : text;
}

export function lastName(path: string): string {
  return /[^\\/]+(?=[\\/]*$)/.exec(path.trim())?.[0] ?? path;
}
