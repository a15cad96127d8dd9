import path from 'node:path';
import type { Sight } from './sight';
import type { TemporaryNames } from './temporary-names';
import type { Volume } from './volumes';

/**
 * How a watch ends: what is at the path is `complete`; or it is `unseen`, because this machine does not see it; or it was
 * there and is `gone`.
 */
export type Outcome = 'complete' | 'unseen' | 'gone';

/** The end of a watch. */
export interface Ended {
  outcome: Outcome;
  /** The path. If what was there has got its final name, the path with that. */
  path: string;
}

/** The times of all watches, in milliseconds. */
export interface WatchTimes {
  /** The least time between two looks at a path. */
  interval: number;
  /** The longest, unless a look itself takes long. */
  longestInterval: number;
  /** The longest wait for an answer of a disk or share. */
  answer: number;
  /** How long a path that was seen may be out of sight, because its share does not answer or only with errors. */
  outOfSight: number;
  /** The age from which what has a temporary name was left behind. */
  abandoned: number;
}

/** A path that is watched until nothing has changed there for a while. */
export class WatchedPath {
  /** When to look again, by `performance.now()`. */
  due = 0;
  /** How it has ended; undefined while it is watched. */
  ended: Ended | undefined;
  readonly names: TemporaryNames;
  readonly #settle: number;
  readonly #times: WatchTimes;
  #path: string;
  /** Where it was seen last, at first the given path. */
  #found: string;
  /** The volume where it was seen last; undefined until it was seen. */
  #volume: Volume | undefined;
  /** Where it may be if it is not there. */
  #finalPaths: string[] | undefined;
  #state: string | undefined;
  /** When the state was seen first. */
  #since = 0;
  /** When the first of the looks began that have failed, one after the other; undefined if the last one has not. */
  #failing: number | undefined;
  /** A look that began earlier does not count. */
  #renewed = 0;

  /** @param settle how long everything has to stay the same, in milliseconds. */
  constructor(given: string, settle: number, names: TemporaryNames, times: WatchTimes) {
    this.names = names;
    this.#settle = settle;
    this.#times = times;
    this.#path = given;
    this.#found = given;
  }

  /** Where to look: the given path, or the one with the final name. */
  get path(): string {
    return this.#path;
  }

  /** The volume where it was seen last; undefined until it was seen. */
  get volume(): Volume | undefined {
    return this.#volume;
  }

  /** Takes that somebody else waits, too, who may know of a change since the last look. */
  renew(): void {
    this.#renewed = performance.now();
  }

  /** Takes what a look has seen. @param begun when it began, by `performance.now()`. */
  saw({ isThere, state, temporary, took }: Sight, volume: Volume, begun: number): void {
    const now = performance.now();
    this.#volume = volume;
    this.#failing = undefined;
    this.#found = this.#path;
    this.#finalPaths = undefined;
    // The clock of a share may be wrong.
    const isTemporary = Math.abs(Date.now() - temporary) < this.#times.abandoned;
    if (isTemporary || state !== this.#state) {
      this.#state = state;
      this.#since = now;
    } else if (begun - this.#since >= this.#settle && begun >= this.#renewed) {
      if (isThere) this.#end('complete');
      else this.missed(false);
      return;
    }
    // A look at many files takes its time.
    this.#lookIn(Math.max(Math.min(this.#usualWait, this.#since + this.#settle - now), 4 * took));
  }

  /**
   * Takes that a look has found nothing: perhaps it has got its final name.
   * @param isLost the volume where it was is not there any more.
   */
  missed(isLost: boolean): void {
    this.#finalPaths ??= finalPaths(this.#path, this.names);
    const next = this.#finalPaths.shift();
    if (next !== undefined) {
      this.#path = next;
      this.#state = undefined;
      this.due = 0;
    } else if (isLost) {
      this.#path = this.#found;
      this.#finalPaths = undefined;
      this.failed();
    } else this.#end(this.#volume ? 'gone' : 'unseen');
  }

  /** Takes that a look has failed. */
  failed(): void {
    const now = performance.now();
    this.#failing ??= now;
    const isOver = !this.#volume || now - this.#failing >= this.#times.outOfSight;
    if (isOver) this.#end('unseen');
    else this.#lookIn(this.#usualWait);
  }

  get #usualWait(): number {
    return Math.min(this.#settle / 4, this.#times.longestInterval);
  }

  #lookIn(wait: number): void {
    this.due = performance.now() + Math.max(wait, this.#times.interval);
  }

  #end(outcome: Outcome): void {
    this.ended = { outcome, path: this.#found };
  }
}

/** Returns the paths that a file or folder may have when its name, that of its folder, or both are final. */
function finalPaths(temporary: string, names: TemporaryNames): string[] {
  const { dir, base } = path.parse(path.normalize(temporary));
  const name = names.finalName(base);
  const folder = names.finalName(path.basename(dir));
  const parent = folder === undefined ? undefined : path.join(path.dirname(dir), folder);
  return [
    ...(name === undefined ? [] : [path.join(dir, name)]),
    ...(parent === undefined ? [] : [path.join(parent, base)]),
    ...(parent === undefined || name === undefined ? [] : [path.join(parent, name)]),
  ];
}
