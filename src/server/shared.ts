/** A question that many may have at the same time and that is asked once for all of them. */
export class Shared<Answer> {
  readonly #ask: () => Promise<Answer>;
  #asking: Promise<Answer> | undefined;

  constructor(ask: () => Promise<Answer>) {
    this.#ask = ask;
  }

  /** A question of others that fails may have been asked long before, so who shared it asks once more. */
  async get(): Promise<Answer> {
    if (this.#asking === undefined) return this.#share();
    return this.#asking.catch(() => this.#share());
  }

  #share(): Promise<Answer> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }
}
