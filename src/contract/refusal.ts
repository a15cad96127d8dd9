/** An error as a dialog receives it. */
export interface Refusal {
  /** The case of the error. The dialog has the words for it. */
  case: string;
  /** The values of the placeholders in these words. */
  details: Readonly<Record<string, string | number>>;
}

/** The last line of a response in lines that could not be completed; `failed` for a bug in this package. */
export type FailedLine = Refusal | { failed: true };

/** Returns whether a response, or a part of one, is a refusal. */
export function isRefusal(part: unknown): part is Refusal {
  return typeof part === 'object' && part !== null && 'case' in part;
}
