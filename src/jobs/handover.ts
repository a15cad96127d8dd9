import { timing } from '../timing';

/**
 * What closed watchers leave for those that open next under the same key, so that a redeploy misses no event. Nobody
 * takes it later than a deploy may take.
 */
export class Handover<Value> {
  readonly #left = new Map<string, Value[]>();

  /** Leaves a value beside those that are there. */
  leave(key: string, value: Value): void {
    const values = this.#left.get(key) ?? [];
    this.#left.set(key, values);
    values.push(value);
    setTimeout(() => {
      const place = values.indexOf(value);
      if (place !== -1) values.splice(place, 1);
      if (values.length === 0 && this.#left.get(key) === values) this.#left.delete(key);
    }, timing.jobs.handover).unref();
  }

  /** Leaves a value in the place of those that are there. */
  replace(key: string, value: Value): void {
    this.#left.delete(key);
    this.leave(key, value);
  }

  /** Takes the value that was left first. */
  take(key: string): Value | undefined {
    return this.#left.get(key)?.shift();
  }
}
