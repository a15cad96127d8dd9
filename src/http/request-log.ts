import { StashError } from '../errors';

export interface RequestTrace {
  /** Whether a part of the request was sent: from then on, it may have run. */
  sent: boolean;
  status?: number;
  /** Of the body. */
  bytes?: number;
}

/** Logs one line for each request: its operation and its result, but no values except job IDs. */
export class RequestLog {
  readonly #server: string;
  readonly #write: ((line: string) => void) | undefined;

  constructor(server: string, write: ((line: string) => void) | undefined) {
    this.#server = server;
    this.#write = write;
  }

  /**
   * @param start by `performance.now()`.
   * @param note further details of the result, such as the ID of a job.
   */
  write(operation: string, { status, bytes = 0 }: RequestTrace, start: number, note?: string): void {
    const end = note === undefined ? '' : `, ${note}`;
    const milliseconds = Math.round(performance.now() - start);
    this.#write?.(
      `${operation} ${this.#server}: ${status ?? 'no answer'}, ${milliseconds} ms, ${bytes} bytes${end}`,
    );
  }

  writeFailure(operation: string, trace: RequestTrace, start: number, error: unknown): void {
    this.write(operation, trace, start, error instanceof StashError ? error.case : undefined);
  }
}
