import type { Values } from './keys';

/**
 * Caches the last text of each key. Under load, i18next takes about a quarter of the time of a message, and a flow that
 * requests the status every minute gets the same sentence each time.
 */
export class TextCache {
  readonly #last = new Map<string, { values: string; text: string }>();

  /** Returns the cached text if the values are the same, otherwise what `find` returns. */
  get(key: string, values: Values, find: () => string): string {
    const given = JSON.stringify(values);
    const last = this.#last.get(key);
    if (last?.values === given) return last.text;
    const text = find();
    this.#last.set(key, { values: given, text });
    return text;
  }
}
