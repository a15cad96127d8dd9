import path from 'node:path';
import { sleep, untilAborted } from '../async';
import type { Call } from '../call';
import { timing } from '../timing';
import { type Contents, contentsAt, isDeviceMissing, isOfFileSystem } from './contents';
import { NoAnswer, NotChecked } from './file-system-calls';
import { TemporaryNames } from './temporary-names';

/**
 * How a wait ends: what is at the path is `complete`; or it is `unseen`, because this machine does not see it; or it was
 * there, or was to come, and is `gone`.
 */
export type Outcome = 'complete' | 'unseen' | 'gone';

/** The end of the wait for a path. */
export interface Ended {
  outcome: Outcome;
  /** The path. If what was there has got its final name, the path with that. */
  path: string;
}

interface SettleOptions {
  /** How long sizes and times of change have to stay the same, in milliseconds. */
  settle: number;
  /** Patterns for names that are not final, as for `TemporaryNames`. */
  temporaryNames: string;
}

/** Holds the messages of one node until their files are complete. Messages with the same path share its watch. */
export class Settling {
  readonly #watches = new Map<string, Watch>();
  #names = new TemporaryNames('');

  /** How many paths messages wait for. */
  get files(): number {
    return this.#watches.size;
  }

  /**
   * Waits until what is at these paths is complete. Meanwhile the call is delayed.
   * @param paths of this machine. Any other ends at once, as unseen.
   * @returns how the wait for each path has ended, in their order.
   * @throws the reason with which the call is stopped.
   */
  async untilComplete(paths: readonly string[], options: SettleOptions, call: Call): Promise<Ended[]> {
    const given = [...new Set(paths.filter(isAbsolute))];
    const watches = new Map(given.map((one) => [one, this.#watch(one, options)]));
    call.report?.({ delay: this });
    try {
      const all = paths.map(
        async (one): Promise<Ended> => (await watches.get(one)?.ended) ?? { outcome: 'unseen', path: one },
      );
      const ends = await untilAborted(Promise.all(all), call.waiting);
      call.report?.({ delay: null });
      return ends;
    } finally {
      for (const watch of watches.values()) watch.release();
    }
  }

  #watch(given: string, { settle, temporaryNames }: SettleOptions): Watch {
    const shared = this.#watches.get(given);
    if (shared) {
      shared.acquire();
      return shared;
    }
    if (this.#names.patterns !== temporaryNames) this.#names = new TemporaryNames(temporaryNames);
    const watch = new Watch(given, settle, this.#names, () => this.#watches.delete(given));
    this.#watches.set(given, watch);
    return watch;
  }
}

/** Watches a path until nothing has changed there for a while. */
class Watch {
  readonly ended: Promise<Ended>;
  readonly #settle: number;
  readonly #names: TemporaryNames;
  readonly #onEnd: () => void;
  readonly #left = new AbortController();
  /** How many messages wait for it. */
  #waiting = 1;
  /** When the last of them came. */
  #acquiredAt = performance.now();

  /** @param onEnd called once, in the moment in which the watch ends or the last message leaves. */
  constructor(given: string, settle: number, names: TemporaryNames, onEnd: () => void) {
    this.#settle = settle;
    this.#names = names;
    this.#onEnd = onEnd;
    this.ended = this.#run(given);
  }

  /** Lets a message wait, too. It may report a change since the check under way, which therefore does not end the watch. */
  acquire(): void {
    this.#waiting += 1;
    this.#acquiredAt = performance.now();
  }

  release(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0 || this.#left.signal.aborted) return;
    this.#left.abort();
    this.#onEnd();
  }

  async #run(given: string): Promise<Ended> {
    const { interval, longestInterval, outOfSight, abandoned } = timing.files;
    let file = given;
    let seen: Contents | undefined;
    /** When it became as it is, and since when it is also without anything unfinished. */
    let [changed, since] = [0, 0];
    let failing: number | undefined;
    let unchecked: number | undefined;
    let isMissing = false;
    for (;;) {
      const begun = performance.now();
      const found = await this.#find(file, seen).catch(ignoreFailures);
      const now = performance.now();
      let wait = Math.min(this.#settle / 4, longestInterval);
      let outcome: Outcome | undefined;
      if (found !== 'unchecked') unchecked = undefined;
      if (found === 'unchecked') {
        unchecked ??= begun;
        if (now - unchecked >= abandoned) outcome = 'unseen';
      } else if (found === null) {
        failing ??= begun;
        if (!seen || now - failing >= outOfSight) outcome = 'unseen';
      } else if (!found) {
        // A program may replace a file by another one, and a check may fall in between.
        if (!seen || isMissing) outcome = seen ? 'gone' : 'unseen';
        isMissing = true;
      } else {
        const isNew = found.path !== file || found.state !== seen?.state;
        [file, seen, failing, isMissing] = [found.path, found, undefined, false];
        if (isNew) changed = now;
        // The clock of a share may be wrong, even by hours.
        const isTemporary = Date.now() - found.temporary < abandoned && now - changed < abandoned;
        if (isNew || isTemporary) since = now;
        else if (begun - since >= this.#settle) outcome = found.isThere ? 'complete' : 'gone';
        // A walk through many files takes its time.
        wait = Math.max(Math.min(wait, since + this.#settle - now), 4 * found.took);
      }
      if (outcome && begun >= this.#acquiredAt) {
        this.#left.abort();
        this.#onEnd();
        return { outcome, path: file };
      }
      await sleep(Math.max(wait, interval), this.#left.signal);
    }
  }

  /**
   * Finds what is at a path, or at the one with the final name.
   * @param seen what was there before.
   * @throws {NotChecked}
   * @throws {NoAnswer} also if the share is not mounted any more; any other error of the file system.
   */
  async #find(file: string, seen: Contents | undefined): Promise<(Contents & { path: string }) | undefined> {
    const since = Math.max(performance.now() - timing.files.interval, this.#acquiredAt);
    const options = { names: this.#names, since, signal: this.#left.signal };
    for (const one of [file, ...finalPaths(file, this.#names)]) {
      const contents = await contentsAt(one, options);
      if (contents) return { ...contents, path: one };
    }
    if (seen && (await isDeviceMissing(file, seen.device))) throw new NoAnswer();
    return undefined;
  }
}

/** @throws the error unless it is about a file, a folder or a share, or that it was not checked. */
function ignoreFailures(error: unknown): null | 'unchecked' {
  if (error instanceof NotChecked) return 'unchecked';
  if (!(error instanceof NoAnswer) && !isOfFileSystem(error)) throw error;
  return null;
}

/** Whether a path may be one of this machine. No path has a NUL character. */
function isAbsolute(text: string): boolean {
  return path.isAbsolute(text) && !text.includes('\0');
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
