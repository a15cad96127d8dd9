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
    return cached && performance.now() - cached.since < maxAge ? cached.value : this.renew(key);
  }

  /** Requests a value anew, or joins a request for it that is under way. */
  renew(key: Key): Promise<Value> {
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
