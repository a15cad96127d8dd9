import type { NodeAPI } from 'node-red';
import { redactedValues, sharedText, type Values, wordsKey } from './catalogue';

/** A part of a sentence. */
export interface Detail<Key extends string = string, Name extends string = string> {
  /** The words, as `wordsKey` finds them: `detail.<key>`. */
  key: Key;
  /** The values for their placeholders. */
  values: Values<Name>;
}

export function detail<Key extends string, Name extends string = never>(
  key: Key,
  values = {} as Values<Name>,
): Detail<Key, Name> {
  return { key, values };
}

/** The words for a result or an event. */
export interface Wording {
  /** The words, as `wordsKey` finds them: `summary.<outcome>` and `status.<outcome>`. */
  outcome: string;
  /** The values for the placeholders of these words. `server` is always available. */
  values?: Values;
  /** Parts that, joined in brackets, are the value `details`. It is empty without any. */
  details?: readonly Detail[];
}

/** Returns all values for the words, redacted. @param server the name of the server. */
export function namedValues(
  RED: NodeAPI,
  { values = {}, details }: Wording,
  server: string,
): Record<string, string | number> {
  return { ...redactedValues(values), server, ...(details && { details: textOfDetails(RED, details) }) };
}

function textOfDetails(RED: NodeAPI, details: readonly Detail[]): string {
  if (details.length === 0) return '';
  const parts = details.map(({ key, values }) => RED._(wordsKey('detail', key), redactedValues(values)));
  return sharedText(RED, 'details.all', { list: parts.join(sharedText(RED, 'details.separator')) });
}

/** Returns the sentence for `msg.stash.summary`, fit for a notification. @param values as `namedValues` returns them. */
export function summaryOf(RED: NodeAPI, outcome: string, values: Values): string {
  return RED._(wordsKey('summary', outcome), values);
}
