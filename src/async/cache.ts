/** Values by key, each requested when it is needed and kept for a while. An error is not kept, nor is undefined. */
export class Cache<Value> {
  /** A value that is still being requested has the age -Infinity. */
  readonly #entries = new Map<string, { value: Promise<Value>; since: number }>();
  readonly #request: (key: string) => Promise<Value>;

  constructor(request: (key: string) => Promise<Value>) {
    this.#request = request;
  }

  /** @param maxAge in milliseconds; with 0, it joins at most a request that is under way. */
  get(key: string, maxAge: number): Promise<Value> {
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
      if (value === undefined) discard();
      else entry.since = performance.now();
    }, discard);
    return entry.value;
  }
}
