import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { type ErrorCase, StashError } from '../errors';
import type { BackupCheck } from './content';

export interface Verification {
  /** In hexadecimal. */
  sha256: string;
  checked: BackupCheck[];
  /** How many pictures an archive has; null for a plain database. */
  pictures: number | null;
  /** Which entry of an archive is the database, counted from 0; absent for a plain database. */
  database?: number;
}

/** The result, an error about the content, or the code of an error of the file system. */
type VerifierMessage =
  | Verification
  | { failed: ErrorCase; details: Record<string, string | number> }
  | { code: string };

export interface VerifyWorkerData {
  file: string;
  /** A flag that both threads share: 1 once the thread has to end, 0 before. */
  stopped: Int32Array<SharedArrayBuffer>;
}

/** Hashes and checks a file in another thread while the file is being written. */
export class Verifier {
  readonly #worker: Worker;
  readonly #stopped = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #answer: Promise<VerifierMessage>;

  constructor(file: string) {
    this.#worker = new Worker(path.join(__dirname, 'verify-worker.js'), {
      workerData: { file, stopped: this.#stopped } satisfies VerifyWorkerData,
      // The thread needs none of the options that Node-RED was started with.
      execArgv: [],
    });
    this.#answer = new Promise((resolve, reject) => {
      this.#worker.once('message', resolve).once('error', reject);
      this.#worker.once('exit', () => reject(new Error('The thread that verifies the backup has ended.')));
    });
    // `finish` reports the error. Until then the rejection would be unhandled.
    this.#answer.catch(() => undefined);
  }

  /** @param end the byte up to which the file has been written. */
  follow(end: number): void {
    this.#worker.postMessage({ end, isWhole: false });
  }

  /**
   * Verifies the whole file.
   * @param end the size of the file in bytes.
   * @param failed returns the error for a code of the file system.
   * @throws {StashError} BACKUP_INVALID; what `failed` returns if the file cannot be read.
   */
  async finish(end: number, failed: (code: string) => StashError): Promise<Verification> {
    this.#worker.postMessage({ end, isWhole: true });
    const answer = await this.#answer;
    if ('failed' in answer) throw new StashError(answer.failed, { details: answer.details });
    if ('code' in answer) throw failed(answer.code);
    return answer;
  }

  /**
   * Ends the thread once it has read at most one more piece. Does not call `terminate()`: Node.js 20 aborts the whole process
   * if the file system reports an error to a thread that is being terminated.
   */
  stop(): void {
    Atomics.store(this.#stopped, 0, 1);
    this.follow(0);
  }
}
