import { timing } from '../timing';

/**
 * State that closed watchers and ended subscriptions leave for the next one with the same key, so that a redeploy misses
 * no event. It expires after the longest time that a deploy may take.
 */
export class Handover<Value> {
  readonly #left = new Map<string, Value[]>();
  readonly #onExpired: (value: Value) => void;

  /** @param onExpired called with each value that was not taken in time. */
  constructor(onExpired: (value: Value) => void = () => undefined) {
    this.#onExpired = onExpired;
  }

  /** Leaves a further value. */
  leave(key: string, value: Value): void {
    const values = this.#left.get(key) ?? [];
    this.#left.set(key, values);
    values.push(value);
    setTimeout(() => {
      const place = values.indexOf(value);
      if (place === -1) return;
      values.splice(place, 1);
      if (values.length === 0 && this.#left.get(key) === values) this.#left.delete(key);
      this.#onExpired(value);
    }, timing.jobs.handover).unref();
  }

  /** Leaves a value, and discards earlier ones. */
  replace(key: string, value: Value): void {
    this.#left.delete(key);
    this.leave(key, value);
  }

  /** Takes the value that was left last. */
  take(key: string): Value | undefined {
    return this.#left.get(key)?.pop();
  }
}
