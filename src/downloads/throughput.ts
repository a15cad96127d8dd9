import { timing } from '../timing';

export class Throughput {
  readonly #samples: { at: number; bytes: number }[];

  constructor(bytes: number) {
    this.#samples = [{ at: performance.now(), bytes }];
  }

  /** @returns the bytes per second over the window that `timing` names. */
  sample(bytes: number): number {
    const now = performance.now();
    this.#samples.push({ at: now, bytes });
    const first = this.#samples.find(({ at }) => at >= now - timing.downloads.throughputWindow);
    while (this.#samples[0] !== first) this.#samples.shift();
    // A download that starts over has fewer bytes than before.
    return first && now > first.at
      ? Math.max(0, Math.round((1000 * (bytes - first.bytes)) / (now - first.at)))
      : 0;
  }
}
