/**
 * Caches values up to a total size, and drops the least recently used first. Stores them as JSON, so that a flow cannot change
 * a cached value.
 */
export class JsonCache<Value> {
  readonly #entries = new Map<string, { text: string; since: number }>();
  readonly #most: number;
  #characters = 0;

  /** @param most the size of all keys and values, in UTF-16 units. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Stores a value. One that is too large by itself only removes the old value of its key. */
  set(key: string, value: Value): void {
    const text = JSON.stringify(value);
    if (key.length + text.length > this.#most) this.#take(key);
    else this.#put(key, text, performance.now());
    for (const oldest of this.#entries.keys()) {
      if (this.#characters <= this.#most) return;
      this.#take(oldest);
    }
  }

  /** Returns the value for `key` if it is younger than `maxAge` milliseconds. */
  get(key: string, maxAge: number): Value | undefined {
    const found = this.#entries.get(key);
    if (!found || performance.now() - found.since >= maxAge) return undefined;
    this.#put(key, found.text, found.since);
    return JSON.parse(found.text) as Value;
  }

  /** Stores an entry as the most recently used. */
  #put(key: string, text: string, since: number): void {
    this.#take(key);
    this.#entries.set(key, { text, since });
    this.#characters += key.length + text.length;
  }

  #take(key: string): void {
    const text = this.#entries.get(key)?.text;
    if (text === undefined) return;
    this.#entries.delete(key);
    this.#characters -= key.length + text.length;
  }
}
