import type { Values } from './catalogue';

/** A part of a sentence from the node's catalogue: `detail.<key>`. */
export interface Detail {
  key: string;
  values?: Values;
}
