import type { NodeAPI } from 'node-red';
import type words from '../../../nodes/server/words/en-US.json';
import { isString } from '../../guards';
import { redact } from '../../redact';

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
  const safe: Record<string, string | number> = { ...values };
  for (const [name, value] of Object.entries(values)) if (isString(value)) safe[name] = redacted(value);
  return safe;
}

/** Redacts a text. One that needs no change keeps its outer blanks, because a part of a sentence may begin with one. */
function redacted(text: string): string {
  const safe = redact(text);
  return safe === text.trim() && !/[\r\n]/.test(text) ? text : safe;
}

/**
 * Returns Node-RED's API with a cache of the last text of each key. Under load, i18next takes a quarter of the time of a
 * message, and most texts repeat: a flow that requests the status every minute gets the same sentence each time, and the
 * messages of a burst share theirs.
 */
export function withCachedTexts(RED: NodeAPI): NodeAPI {
  const last = new Map<string, { values: string; text: string }>();
  const find: NodeAPI['_'] = (key, values?: object) => {
    const given = JSON.stringify(values ?? {});
    const cached = last.get(key);
    if (cached?.values === given) return cached.text;
    const text = RED._(key, values as Record<string, string>);
    last.set(key, { values: given, text });
    return text;
  };
  return Object.assign(Object.create(RED) as NodeAPI, { _: find });
}

/** Node-RED's API for a node whose catalogue has the words `Words`. `_` looks up keys in that catalogue. */
export interface NodeRED<Words> extends Omit<NodeAPI, '_'> {
  _: FindText<Words>;
}

/** Finds a text of the catalogue `Words` in the runtime's language. */
export type FindText<Words> = <Key extends KeyOf<Words>>(
  key: Key,
  values?: Values<PlaceholderOf<Words, Key>>,
) => string;

/** The values for the placeholders of words, by name. */
export type Values<Name extends string = string> = Readonly<Record<Name, string | number>>;

/** Every key of a catalogue, as in `summary.found`; plural forms count as one. */
export type KeyOf<Words> = {
  [K in keyof Words & string]: Words[K] extends string ? Singular<K> : `${K}.${KeyOf<Words[K]>}`;
}[keyof Words & string];

/** The placeholders of all words under a key. */
export type PlaceholderOf<Words, Key extends string> = {
  [K in keyof Words & string]: Words[K] extends string
    ? Singular<K> extends Key
      ? Placeholder<Words[K]>
      : never
    : Key extends `${K}.${infer Rest}`
      ? PlaceholderOf<Words[K], Rest>
      : never;
}[keyof Words & string];

/** A key without the ending of a plural form, which the runtime chooses by `count`. */
type Singular<Key extends string> = [BaseOf<Key>] extends [never] ? Key : BaseOf<Key>;
type PluralForm = 'zero' | 'one' | 'two' | 'few' | 'many' | 'other';
type BaseOf<Key extends string> = {
  // Each form by itself: of a key with other underscores, `${infer Base}_${PluralForm}` would end at the first.
  [Form in PluralForm]: Key extends `${infer Base}_${Form}` ? Base : never;
}[PluralForm];

type Placeholder<Text extends string> = Text extends `${string}__${infer Name}__${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;
