import type { NodeAPI } from 'node-red';
import { redactedValues } from './catalogue';
import type { Values } from './keys';

/** A part of a sentence from the node's catalogue: `detail.<key>`. */
export interface Detail<Key extends string = string, Name extends string = string> {
  key: Key;
  values: Values<Name>;
}

/** Makes a part of a sentence. @param values What the words of `key` name. */
export function detail<Key extends string, Name extends string = never>(
  key: Key,
  values = {} as Values<Name>,
): Detail<Key, Name> {
  return { key, values };
}

/** Chooses the words of a result or an event. */
export interface Wording {
  /** The words in the node's catalogue: `summary.<outcome>` and `status.<outcome>`. */
  outcome: string;
  /** What these words name; `server` is always there. */
  values?: Values;
  /** Joined by commas, they are the value `details`. */
  details?: readonly Detail[];
}

/** Returns all that the words may name, redacted. */
export function namedValues(
  RED: NodeAPI,
  { values = {}, details }: Wording,
  server: string,
): Record<string, string | number> {
  const parts = details?.map(({ key, values }) => RED._(`detail.${key}`, redactedValues(values)));
  return { ...redactedValues(values), server, ...(parts && { details: parts.join(', ') }) };
}

/** Returns the sentence for `msg.stash.summary`, fit for a notification. @param values As from `namedValues`. */
export function summaryOf(RED: NodeAPI, outcome: string, values: Values): string {
  return RED._(`summary.${outcome}`, values);
}
