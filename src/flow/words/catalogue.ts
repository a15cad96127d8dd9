import type { NodeAPI } from 'node-red';
import type words from '../../../nodes/locales/en-US/server.json';
import { redact } from '../../redact';
import type { KeyOf, PlaceholderOf, Values } from './keys';

/** The catalogue of stash-server has the words that all nodes share. Node-RED picks the language by its `lang` setting. */
export const CATALOGUE = '@stash-flows/node-red-stash/server:';

type Words = typeof words;

/** Returns words that all nodes share. */
export function sharedText<Key extends KeyOf<Words>>(
  RED: NodeAPI,
  key: Key,
  ...values: [PlaceholderOf<Words, Key>] extends [never] ? [] : [Values<PlaceholderOf<Words, Key>>]
): string {
  return RED._(CATALOGUE + key, ...values);
}

/** Makes values that may come from outside fit for a log, a status or a notification. */
export function redactedValues(values: Values): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? redacted(value) : value,
    ]),
  );
}

/** Keeps the blanks around a text that is otherwise fit: a part of a sentence may begin with one. */
function redacted(text: string): string {
  const fit = redact(text);
  return fit === text.trim() ? text : fit;
}
