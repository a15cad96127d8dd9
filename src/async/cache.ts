/** Values by key, each requested when it is needed and kept for a while. An error is not kept. */
export class Cache<Key, Value> {
  /** A value that is still being requested has the age -Infinity. */
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

  /** @param maxAge in milliseconds; with 0, it joins at most a request that is under way. */
  get(key: Key, maxAge: number): Promise<Value> {
    const now = performance.now();
    for (const [old, { since }] of this.#entries) {
      if (now - since < maxAge) break;
      this.#entries.delete(old);
    }
    const cached = this.#entries.get(key);
    if (cached && now - cached.since < maxAge) return cached.value;
    const entry = { value: this.#request(key), since: Infinity };
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
