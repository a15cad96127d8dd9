import type { NodeAPI } from 'node-red';

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
