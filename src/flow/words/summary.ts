import type { NodeAPI } from 'node-red';
import { redactedValues } from './catalogue';
import type { Values } from './keys';

/** A part of a sentence. */
export interface Detail<Key extends string = string, Name extends string = string> {
  /** The words in the node's catalogue: `detail.<key>`. */
  key: Key;
  /** The values for their placeholders. */
  values: Values<Name>;
}

/** Returns a part of a sentence. */
export function detail<Key extends string, Name extends string = never>(
  key: Key,
  values = {} as Values<Name>,
): Detail<Key, Name> {
  return { key, values };
}

/** The words for a result or an event. */
export interface Wording {
  /** The words in the node's catalogue: `summary.<outcome>` and `status.<outcome>`. */
  outcome: string;
  /** The values for the placeholders of these words. `server` is always available. */
  values?: Values;
  /** Parts that, joined by commas, are the value `details`. */
  details?: readonly Detail[];
}

/** Returns all values for the words, redacted. @param server the name of the server. */
export function namedValues(
  RED: NodeAPI,
  { values = {}, details }: Wording,
  server: string,
): Record<string, string | number> {
  const parts = details?.map(({ key, values }) => RED._(`detail.${key}`, redactedValues(values)));
  return { ...redactedValues(values), server, ...(parts && { details: parts.join(', ') }) };
}

/** Returns the sentence for `msg.stash.summary`, fit for a notification. @param values as `namedValues` returns them. */
export function summaryOf(RED: NodeAPI, outcome: string, values: Values): string {
  return RED._(`summary.${outcome}`, values);
}
