import { access, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { neverAborted, Semaphore, unlessAnswered } from '../async';

/** The most questions to all volumes at a time. Each blocks a thread until the volume has answered. */
const MOST_QUESTIONS = 20;
/** The same to one volume, so that one that does not answer leaves room for the others. */
const MOST_OF_ONE = 4;
/** The most links that a path may lead through, as for the kernel of Linux. */
const MOST_LINKS = 40;
/** How long mounts and links are known, in milliseconds. */
const KNOWN = 5_000;

/** A volume did not answer in time. */
export class NoAnswer extends Error {
  readonly volume: Volume;

  constructor(volume: Volume) {
    super();
    this.volume = volume;
  }
}

/** A disk or a share, which may stop answering. */
export class Volume {
  /** The folder where it is mounted. */
  readonly root: string;
  readonly #limits: readonly Semaphore[];
  readonly #answer: number;
  #late = 0;

  /**
   * @param answer the longest wait for an answer, in milliseconds.
   * @param all limits the questions to all volumes.
   */
  constructor(root: string, answer: number, all: Semaphore) {
    this.root = root;
    this.#answer = answer;
    this.#limits = [new Semaphore(MOST_OF_ONE), all];
  }

  /** How many answers are late. */
  get late(): number {
    return this.#late;
  }

  /**
   * Asks what is on this volume.
   * @throws {NoAnswer} if that takes too long, and at once while an earlier answer is late. The late answer shows that the
   * share is back.
   */
  async ask<T>(question: () => Promise<T>): Promise<T> {
    const permits: (() => void)[] = [];
    for (const limit of this.#limits) permits.push(await limit.acquire(neverAborted()));
    try {
      if (this.#late > 0) throw new NoAnswer(this);
      return await this.#inTime(question());
    } finally {
      for (const giveBack of permits) giveBack();
    }
  }

  /** Nothing can end a question, so a late one keeps its thread. */
  async #inTime<T>(answer: Promise<T>): Promise<T> {
    let stop = () => {};
    const tooLate = new Promise<never>((_, reject) => {
      stop = unlessAnswered(this.#answer, () => {
        this.#late += 1;
        const answered = () => {
          this.#late -= 1;
        };
        answer.then(answered, answered);
        reject(new NoAnswer(this));
      });
    });
    try {
      return await Promise.race([answer, tooLate]);
    } finally {
      stop();
    }
  }
}

/** A path without links, and the volume that it is on. */
export interface Place {
  path: string;
  volume: Volume;
}

/** What is known of the file system for a while. */
interface Known {
  since: number;
  isMount: Promise<(folder: string) => boolean>;
  places: Map<string, Promise<Place>>;
}

/** The disks and shares of this machine. */
export class Volumes {
  readonly #answer: number;
  readonly #volumes = new Map<string, Volume>();
  readonly #limit = new Semaphore(MOST_QUESTIONS);
  #known: Known | undefined;

  /** @param answer the longest wait for an answer of a volume, in milliseconds. */
  constructor(answer: number) {
    this.#answer = answer;
  }

  /**
   * Finds the place of a path, which need not exist. Follows links step by step, so that each volume is asked only for what is
   * on it.
   * @throws {NoAnswer} if a volume on the way does not answer.
   */
  of(given: string): Promise<Place> {
    return this.#placeOf(given, this.#knownSince(performance.now() - KNOWN));
  }

  /** Returns the volume of a path that is no link, from the volume of its folder. */
  async volumeAt(folder: string, around: Volume): Promise<Volume> {
    const { isMount } = this.#knownSince(performance.now() - KNOWN);
    return (await isMount)(folder) ? this.#volumeOf(folder) : around;
  }

  /**
   * Whether a volume is not mounted any more.
   * @param since what was known before this time, by `performance.now()`, does not count.
   */
  async hasLost({ root }: Volume, since: number): Promise<boolean> {
    const { isMount } = this.#knownSince(since);
    if (path.dirname(root) !== root && !(await isMount)(root)) return true;
    // Such as the letter of a drive in Windows.
    return await this.#volumeOf(root).ask(() =>
      access(root).then(
        () => false,
        () => true,
      ),
    );
  }

  /** How many answers of all volumes are late. Each blocks a thread. */
  get late(): number {
    return [...this.#volumes.values()].reduce((sum, { late }) => sum + late, 0);
  }

  #knownSince(since: number): Known {
    if (!this.#known || this.#known.since < since) {
      this.#known = { since: performance.now(), isMount: mounts(), places: new Map() };
    }
    return this.#known;
  }

  #placeOf(given: string, known: Known): Promise<Place> {
    const found = known.places.get(given);
    if (found) return found;
    const place = this.#find(given, known);
    known.places.set(given, place);
    // The volume may answer the next time.
    place.catch(() => known.places.delete(given));
    return place;
  }

  /** @param links counts the links on the way. They may lead in a circle, where a known place would wait for itself. */
  async #find(given: string, known: Known, links = { left: MOST_LINKS }): Promise<Place> {
    const folder = path.dirname(given);
    if (folder === given) return { path: given, volume: this.#volumeOf(given) };
    const isFirst = links.left === MOST_LINKS;
    const { path: at, volume } = await (isFirst
      ? this.#placeOf(folder, known)
      : this.#find(folder, known, links));
    const here = path.join(at, path.basename(given));
    if ((await known.isMount)(here)) return { path: here, volume: this.#volumeOf(here) };
    const target = links.left > 0 ? await volume.ask(() => linkAt(here)) : undefined;
    if (target === undefined) return { path: here, volume };
    links.left -= 1;
    return await this.#find(path.resolve(at, target), known, links);
  }

  #volumeOf(root: string): Volume {
    const volume = this.#volumes.get(root) ?? new Volume(root, this.#answer, this.#limit);
    this.#volumes.set(root, volume);
    return volume;
  }
}

/** Returns where a link leads; undefined for anything else. */
async function linkAt(file: string): Promise<string | undefined> {
  return await readlink(file).catch(() => undefined);
}

/** Returns what tells whether a folder is the root of a volume. Asks no volume. */
async function mounts(): Promise<(folder: string) => boolean> {
  if (process.platform !== 'linux') return (folder) => path.dirname(folder) === '/Volumes';
  const table = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  // The fifth field, with blanks and the like as octal numbers.
  const folders = table
    .split('\n')
    .map((line) =>
      line.split(' ')[4]?.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8))),
    );
  const known = new Set(folders);
  return (folder) => known.has(folder);
}
