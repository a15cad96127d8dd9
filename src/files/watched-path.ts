import path from 'node:path';
import type { Sight } from './sight';
import type { TemporaryNames } from './temporary-names';
import type { Volume } from './volumes';

/**
 * How a watch ends: what is at the path is `complete`; or it is `unseen`, because this machine does not see it; or it was
 * there, or was to come, and is `gone`.
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
  /** When this state was seen first. */
  #changed = 0;
  /** When it was seen first without anything unfinished. */
  #since = 0;
  /** When the first of the latest failed looks began; undefined if the last look did not fail. */
  #failing: number | undefined;
  /** Whether the last look has found nothing, although there was something before. */
  #isMissing = false;
  /** Looks that began earlier do not count. */
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

  /** Ignores looks that have already begun. Call it when another message waits for the path. */
  renew(): void {
    this.#renewed = performance.now();
  }

  /** Takes what a look has seen. @param begun when it began, by `performance.now()`. */
  saw({ isThere, volume, state, temporary, took }: Sight, begun: number): void {
    const now = performance.now();
    this.#volume = volume;
    this.#failing = undefined;
    this.#isMissing = false;
    this.#found = this.#path;
    this.#finalPaths = undefined;
    const isNew = state !== this.#state;
    if (isNew) this.#changed = now;
    this.#state = state;
    // The clock of a share may be wrong, even by hours.
    const { abandoned } = this.#times;
    const isTemporary = Date.now() - temporary < abandoned && now - this.#changed < abandoned;
    if (isNew || isTemporary) this.#since = now;
    else if (begun - this.#since >= this.#settle && begun >= this.#renewed) {
      this.#end(isThere ? 'complete' : 'gone');
      return;
    }
    // A look at many files takes its time.
    this.#lookIn(Math.max(Math.min(this.#usualWait, this.#since + this.#settle - now), 4 * took));
  }

  /**
   * Takes that a look has found nothing: perhaps it has got its final name.
   * @param begun when the look began, by `performance.now()`.
   */
  missed(begun: number): void {
    this.#finalPaths ??= finalPaths(this.#path, this.names);
    const next = this.#finalPaths.shift();
    if (next !== undefined) {
      this.#path = next;
      this.#state = undefined;
      this.due = 0;
      return;
    }
    // A program may replace a file by another one, and a look may fall in between.
    const mayComeBack = begun < this.#renewed || (this.#volume !== undefined && !this.#isMissing);
    this.#isMissing = true;
    if (mayComeBack) this.#lookAgain();
    else this.#end(this.#volume ? 'gone' : 'unseen');
  }

  /** Takes that a look has failed. @param begun when it began, by `performance.now()`. */
  failed(begun: number): void {
    this.#failing ??= begun;
    const isOver = !this.#volume || performance.now() - this.#failing >= this.#times.outOfSight;
    if (isOver && begun >= this.#renewed) this.#end('unseen');
    else this.#lookAgain();
  }

  #lookAgain(): void {
    this.#path = this.#found;
    this.#finalPaths = undefined;
    this.#lookIn(this.#usualWait);
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
