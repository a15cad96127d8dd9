/** Values by key, each requested when it is needed and kept for a while. An error is not kept. */
export class Cache<Key, Value> {
  /** The newest last. A value that is still being requested has the age -Infinity. */
  readonly #entries = new Map<Key, { value: Promise<Value>; since: number }>();
  readonly #request: (key: Key) => Promise<Value>;
  readonly #isKept: (value: Value) => boolean;

  /** @param isKept whether to keep a value; by default, any but undefined. */
  constructor(
    request: (key: Key) => Promise<Value>,
    isKept: (value: Value) => boolean = (value) => value !== undefined,
  ) {
    this.#request = request;
    this.#isKept = isKept;
  }

  /** Returns a value that is younger than `maxAge` milliseconds, from the cache or by a request. */
  get(key: Key, maxAge: number): Promise<Value> {
    for (const [old, { since }] of this.#entries) {
      if (performance.now() - since < maxAge) break;
      this.#entries.delete(old);
    }
    const cached = this.#entries.get(key);
    return cached && performance.now() - cached.since < maxAge ? cached.value : this.refresh(key);
  }

  /** Requests a value anew, or joins a request for it that is under way. */
  refresh(key: Key): Promise<Value> {
    const cached = this.#entries.get(key);
    if (cached?.since === Infinity) return cached.value;
    const entry = { value: this.#request(key), since: Infinity };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const discard = () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    };
    entry.value.then((value) => {
      if (this.#isKept(value)) entry.since = performance.now();
      else discard();
    }, discard);
    return entry.value;
  }
}

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
