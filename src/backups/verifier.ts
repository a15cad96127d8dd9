import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { type ErrorCase, StashError } from '../errors';
import type { Check } from './content';

/** What was found of a whole file. */
export interface Verification {
  sha256: string;
  checked: Check[];
}

type Answer =
  Verification | { failed: ErrorCase; details: Record<string, string | number> } | { code: string };

/** Examines a file in another thread while it is being written. */
export class Verifier {
  readonly #worker: Worker;
  readonly #answer: Promise<Answer>;

  /** @param file is there already, and grows. */
  constructor(file: string) {
    this.#worker = new Worker(path.join(__dirname, 'verify-worker.js'), {
      workerData: file,
      // Nothing that Node-RED was started with is needed here.
      execArgv: [],
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
  async finish(end: number, failed: (code: string) => StashError): Promise<Verification> {
    this.#worker.postMessage({ end, isWhole: true });
    const answer = await this.#answer;
    if ('failed' in answer) throw new StashError(answer.failed, { details: answer.details });
    if ('code' in answer) throw failed(answer.code);
    return answer;
  }

  /** Ends it, finished or not. */
  stop(): void {
    void this.#worker.terminate();
  }
}
