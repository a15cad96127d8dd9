import { formatBytesOf } from '../contract/units';
import { StashError } from '../errors';
import type { Receiver, ResponseHead } from '../http';

/** What it throws ends the download. */
export interface Sink {
  /**
   * Called at the start, and again if the server sends the whole file instead of the rest.
   * @param total the size in bytes; null where the server does not say.
   */
  begin: (total: number | null) => Promise<void> | undefined;
  /** @returns what to wait for before the next chunk. */
  take: (chunk: Buffer) => Promise<void> | undefined;
}

/** The state of one download across all of its requests. */
export class Transfer {
  bytes = 0;
  /** In bytes; null while unknown. */
  total: number | null = null;
  hasBegun = false;
  /** No byte has arrived since a request stalled. We abort such a request, and the server may then drop the link. */
  isStalled = false;
  /** The ETag and the time of the file whose bytes have arrived; empty if the server does not send them. */
  #validators = { etag: '', 'last-modified': '' };
  #busy: Promise<void> | undefined;
  readonly #url: string;
  readonly #sink: Sink;

  constructor(url: string, sink: Sink) {
    this.#url = url;
    this.#sink = sink;
  }

  /**
   * Takes the response to one request.
   * @returns undefined for a response that is not the file.
   * @throws {StashError} BACKUP_INVALID for a part that does not continue the file.
   */
  receive({ status, header }: ResponseHead, idleTimer: IdleTimer): Receiver | undefined {
    if (![200, 206].includes(status) || /^text\/html/i.test(header('content-type'))) return undefined;
    /** Passes work to the sink one piece at a time, and stops the idle timer meanwhile: a slow disk is not a silent server. */
    const give = (work: () => Promise<void> | undefined) => {
      idleTimer.restart();
      const working = this.#busy ? this.#busy.then(work) : work();
      if (!working) return undefined;
      idleTimer.stop();
      const busy = working.then(() => {
        if (this.#busy !== busy) return;
        this.#busy = undefined;
        idleTimer.restart();
      });
      this.#busy = busy;
      return busy;
    };
    return {
      ready: give(() => this.#begin(status === 206, header)),
      take: (chunk) => {
        this.bytes += chunk.length;
        this.isStalled = false;
        return give(() => this.#sink.take(chunk));
      },
    };
  }

  /**
   * Waits until the sink has no more work.
   * @throws what the sink threw last.
   */
  async settle(): Promise<void> {
    await this.#busy;
  }

  #begin(isRest: boolean, header: ResponseHead['header']): Promise<void> | undefined {
    if (isRest) {
      const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(header('content-range')) ?? [];
      const isRestOfIt = Number(first) === this.bytes && [null, Number(total)].includes(this.total);
      if (!isRestOfIt || (this.hasBegun && this.#isOther(header))) throw this.changed();
      this.total = Number(total);
      if (this.hasBegun) return undefined;
    } else {
      const length = header('content-length');
      this.bytes = 0;
      this.total = /^\d+$/.test(length) ? Number(length) : null;
    }
    this.hasBegun = true;
    this.#validators = { etag: header('etag'), 'last-modified': header('last-modified') };
    return this.#sink.begin(this.total);
  }

  /** Whether a response is of another file than the bytes that have arrived. A proxy may make an ETag weak. */
  #isOther(header: ResponseHead['header']): boolean {
    return Object.entries(this.#validators).some(([name, before]) => {
      const now = header(name);
      return before !== '' && now !== '' && before.replace(/^W\//, '') !== now.replace(/^W\//, '');
    });
  }

  /**
   * What a request for the rest may send as `If-Range`, so that the server sends the whole file if it is another one: the ETag,
   * unless it is weak, or without one the time (https://www.rfc-editor.org/rfc/rfc9110#name-if-range).
   */
  get version(): string | undefined {
    const { etag, 'last-modified': time } = this.#validators;
    return (etag.startsWith('W/') ? '' : etag || time) || undefined;
  }

  /** Whether all bytes have arrived; true also for a file of unknown length, which ends with its response. */
  get isWhole(): boolean {
    return this.total === null || this.bytes === this.total;
  }

  get #got(): string {
    return formatBytesOf(this.bytes, this.total);
  }

  broken(code: string | number): StashError {
    const details = { url: this.#url, code, got: this.#got };
    return new StashError('UNREACHABLE.download', { details, retry: true });
  }

  /** Returns the error for a request without a byte for so many seconds. */
  stalled(seconds: number): StashError {
    return new StashError('TIMEOUT.download', { details: { seconds, got: this.#got }, retry: true });
  }

  /** Returns the error for a file that is no longer the same. */
  changed(): StashError {
    return new StashError('BACKUP_INVALID.changed', { details: { got: this.#got }, retry: true });
  }

  /** Returns the error for a link that no longer works. */
  gone(): StashError {
    return new StashError('BACKUP_INVALID.gone', { status: 404, details: { got: this.#got }, retry: true });
  }
}

/** Calls a function when nothing has happened for a time. */
export class IdleTimer {
  readonly #milliseconds: number;
  readonly #onIdle: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number, onIdle: () => void) {
    this.#milliseconds = milliseconds;
    this.#onIdle = onIdle;
    this.restart();
  }

  restart(): void {
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(this.#onIdle, this.#milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
