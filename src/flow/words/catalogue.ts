import type { NodeAPI } from 'node-red';
import type words from '../../../nodes/locales/en-US/server.json';
import { redact } from '../../redact';
import type { KeyOf, PlaceholderOf, Values } from './keys';

/** The prefix of keys in the catalogue of stash-server, which has the words that all nodes share. */
export const CATALOGUE = '@stash-flows/node-red-stash/server:';

type Words = typeof words;

/** Returns words that all nodes share, in the runtime's language. */
export function sharedText<Key extends KeyOf<Words>>(
  RED: NodeAPI,
  key: Key,
  ...values: [PlaceholderOf<Words, Key>] extends [never] ? [] : [Values<PlaceholderOf<Words, Key>>]
): string {
  return RED._(CATALOGUE + key, ...values);
}

/**
 * Returns the key of `<section>.<name>`: in the catalogue of stash-server for words about jobs (`job.…`), which several nodes
 * share, otherwise in the node's own.
 */
export function wordsKey(section: 'summary' | 'status' | 'detail', name: string): string {
  return `${name.startsWith('job.') ? CATALOGUE : ''}${section}.${name}`;
}

/** Redacts values that may come from outside, for a log, a status or a notification. */
export function redactedValues(values: Values): Record<string, string | number> {
  const safe: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(values)) {
    safe[name] = typeof value === 'string' ? redacted(value) : value;
  }
  return safe;
}

/** Redacts a text. One that needs no change keeps its outer blanks, because a part of a sentence may begin with one. */
function redacted(text: string): string {
  const safe = redact(text);
  return safe === text.trim() ? text : safe;
}
