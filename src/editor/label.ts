/** The longest value in a node's label, in UTF-16 units. */
const LONGEST = 24;

/** Shortens a value for the label of a node. A path that is too long keeps its last name. */
export function shortened(value: string): string {
  const text = value.trim();
  const short = text.length > LONGEST ? lastName(text) : text;
  return short.length > LONGEST ? `${short.slice(0, LONGEST - 1)}…` : short;
}

/** Returns the last name of a path. */
export function lastName(path: string): string {
  return /[^\\/]+(?=[\\/]*$)/.exec(path.trim())?.[0] ?? path;
}
