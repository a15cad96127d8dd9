import type { Refusal } from '../../contract/errors';
import { StashError } from '../../errors';

/**
 * Returns the error with the text of a server, for a user who may see the messages of nodes.
 * @param redact removes secrets and control characters from a text, and cuts it.
 * @throws any other error as it is.
 */
export function wholeRefusal(error: unknown, redact: (text: string) => string): Refusal {
  if (!(error instanceof StashError)) throw error;
  const details = Object.entries(error.details).map(([name, value]) => [
    name,
    typeof value === 'string' ? redact(value) : value,
  ]);
  return { case: error.case, details: Object.fromEntries(details) as Refusal['details'] };
}

/**
 * Returns the error without the text of a server: otherwise a dialog could read what only Node-RED can reach.
 * @throws any other error as it is.
 */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof StashError)) throw error;
  const details = Object.entries(error.details).filter(([name]) => name !== 'text');
  return { case: error.case, details: Object.fromEntries(details) };
}
