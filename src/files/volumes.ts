import { readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { neverAborted, Semaphore } from '../async';

/** The most questions to all volumes at a time. Each blocks a thread until the volume has answered. */
const MOST_QUESTIONS = 20;
/** The same to one volume, so that one that does not answer leaves room for the others. */
const MOST_OF_ONE = 4;
/** The most links that a path may lead through, as for the kernel of Linux. */
const MOST_LINKS = 40;
/** How long mounts and links are known, in milliseconds. */
const KNOWN = 5_000;

/** A volume did not answer in time. */
export class NoAnswer extends Error {}

/** A disk or a share, which may stop answering. */
export class Volume {
  readonly #limits: readonly Semaphore[];
  readonly #answer: number;
  #late = 0;

  /**
   * @param answer the longest wait for an answer, in milliseconds.
   * @param all limits the questions to all volumes.
   */
  constructor(answer: number, all: Semaphore) {
    this.#answer = answer;
    this.#limits = [new Semaphore(MOST_OF_ONE), all];
  }

  /**
   * Asks what is on this volume.
   * @throws {NoAnswer} if that takes too long, and at once while an earlier answer is late: that comes when a share is back.
   */
  async ask<T>(question: () => Promise<T>): Promise<T> {
    const permits: (() => void)[] = [];
    for (const limit of this.#limits) permits.push(await limit.acquire(neverAborted()));
    try {
      if (this.#late > 0) throw new NoAnswer();
      return await this.#inTime(question());
    } finally {
      for (const giveBack of permits) giveBack();
    }
  }

  /** Nothing can end a question, so a late one keeps its thread. */
  async #inTime<T>(answer: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#late += 1;
        const answered = () => {
          this.#late -= 1;
        };
        answer.then(answered, answered);
        reject(new NoAnswer());
      }, this.#answer);
    });
    try {
      return await Promise.race([answer, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A folder without links in its path. */
interface Place {
  folder: string;
  volume: Volume;
}

/** What is known of the file system for a while. */
interface Known {
  until: number;
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
   * Returns the volume of a folder. Follows links step by step, so that each volume is asked only for what is on it.
   * @throws {NoAnswer} if a volume on the way does not answer.
   */
  async of(folder: string): Promise<Volume> {
    if (!this.#known || performance.now() >= this.#known.until) {
      this.#known = { until: performance.now() + KNOWN, isMount: mounts(), places: new Map() };
    }
    return (await this.#placeOf(folder, this.#known, 0)).volume;
  }

  #placeOf(folder: string, known: Known, links: number): Promise<Place> {
    // Links may lead in a circle, where each place would wait for the next one.
    if (links > 0) return this.#find(folder, known, links);
    const place = known.places.get(folder) ?? this.#find(folder, known, links);
    known.places.set(folder, place);
    return place;
  }

  async #find(folder: string, known: Known, links: number): Promise<Place> {
    const parent = path.dirname(folder);
    if (parent === folder) return { folder, volume: this.#volumeOf(folder) };
    const { folder: at, volume } = await this.#placeOf(parent, known, links);
    const here = path.join(at, path.basename(folder));
    if ((await known.isMount)(here)) return { folder: here, volume: this.#volumeOf(here) };
    const target = await volume.ask(() => linkAt(here));
    if (target === undefined || links >= MOST_LINKS) return { folder: here, volume };
    return this.#placeOf(path.resolve(at, target), known, links + 1);
  }

  #volumeOf(root: string): Volume {
    const volume = this.#volumes.get(root) ?? new Volume(this.#answer, this.#limit);
    this.#volumes.set(root, volume);
    return volume;
  }
}

/** Returns where a link leads; undefined for anything else. */
async function linkAt(file: string): Promise<string | undefined> {
  return readlink(file).catch(() => undefined);
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
