import type { Values } from './keys';

/**
 * Remembers the last text of each key. Under load a look-up by i18next takes about a quarter of what a message costs, and
 * a message that asks for the status each minute gets the same sentence each time.
 */
export class TextCache {
  readonly #last = new Map<string, { values: string; text: string }>();

  /** Returns the text that `find` gave for the same values, or calls it. */
  get(key: string, values: Values, find: () => string): string {
    const given = JSON.stringify(values);
    const last = this.#last.get(key);
    if (last?.values === given) return last.text;
    const text = find();
    this.#last.set(key, { values: given, text });
    return text;
  }
}
