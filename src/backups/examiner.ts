import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { type ErrorCase, StashError } from '../errors';
import type { Check } from './content';

/** What is to be examined. */
export interface Examination {
  /** It is there already, and grows. */
  file: string;
  /** SQLite shall look through it, where Node.js has one. */
  isThorough: boolean;
}

/** What was found of a whole file. */
export interface Findings {
  sha256: string;
  checked: Check[];
}

type Answer = Findings | { failed: ErrorCase; details: Record<string, string | number> } | { code: string };

/** Examines a file in another thread while it is being written. */
export class Examiner {
  readonly #worker: Worker;
  readonly #answer: Promise<Answer>;

  constructor(examination: Examination) {
    this.#worker = new Worker(path.join(__dirname, 'examiner-thread.js'), {
      workerData: examination,
      // That Node.js' SQLite is experimental is nothing that who reads Node-RED's log can act on.
      execArgv: ['--no-warnings'],
    });
    this.#answer = new Promise((resolve, reject) => {
      this.#worker.once('message', resolve).once('error', reject);
      this.#worker.once('exit', () => {
        reject(new Error('The thread that examines the backup has ended.'));
      });
    });
    // Whoever waits for it is told.
    this.#answer.catch(() => undefined);
  }

  /** Lets the file be read up to `end`, as far as it has been written. */
  follow(end: number): void {
    this.#worker.postMessage({ end, isWhole: false });
  }

  /**
   * What there is to be said of the file, whose length is `end`.
   * @throws {StashError} BACKUP_INVALID; DISK where it cannot be read.
   */
  async finish(end: number, failed: (code: string) => StashError): Promise<Findings> {
    this.#worker.postMessage({ end, isWhole: true });
    const answer = await this.#answer;
    if ('failed' in answer) throw new StashError(answer.failed, { details: answer.details });
    if ('code' in answer) throw failed(answer.code);
    return answer;
  }

  /** Ends it, finished or not, and does not wait for that: nothing stops SQLite amid its check. */
  stop(): void {
    void this.#worker.terminate();
  }
}
