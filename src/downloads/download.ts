import { setTimeout as sleep } from 'node:timers/promises';
import { formatBytesOf } from '../bytes';
import type { Call } from '../call';
import { StashError } from '../errors';
import type { Receive, Receiver, ResponseHead } from '../http';

/**
 * How long a link is good after it was first asked for; after that only while something of it is being fetched (all
 * releases that make backups).
 */
const LINK_MILLISECONDS = 30_000;
/** How long a download may be without a byte. */
const IDLE_MILLISECONDS = 60_000;
const SHORTEST_PAUSE_MILLISECONDS = 125;
const LONGEST_PAUSE_MILLISECONDS = 4_000;
const PROGRESS_MILLISECONDS = 1_000;
/** The time that the rate is of. */
const RATE_MILLISECONDS = 3_000;

/** Where the bytes of a download go. What it throws ends the download. */
export interface Sink {
  /** The download begins, anew where it could not be taken up: `total` bytes, or null where that is not told. */
  begin: (total: number | null) => Promise<void> | undefined;
  /** Takes the next piece. @returns what is to be waited for before the one that follows. */
  take: (piece: Buffer) => Promise<void> | undefined;
}

/** Asks for the bytes of a link from `offset` on. @throws {StashError} for everything but them. */
type Get = (offset: number, receive: Receive, signal: AbortSignal) => Promise<void>;

/**
 * Fetches a link of the server at `url` whole. Where the connection breaks, the download is taken up from the same link
 * where it was, or begun anew if the answer is not the rest, as long as the link is good.
 * @returns how many bytes there were.
 * @throws {StashError} what keeps it from being fetched, with how far it came; what the sink throws.
 * @throws the reason of the call's signal, once that is aborted.
 */
export async function fetchWhole(url: string, get: Get, sink: Sink, call: Call): Promise<number> {
  const transfer = new Transfer(url, sink);
  let rate = new Rate(0);
  const tell = () => {
    const { bytes, total } = transfer;
    const percent = total === null ? null : bytes === total ? 100 : Math.floor((100 * bytes) / total);
    call.onDownload?.({ percent, bytes, total, bytesPerSecond: rate.of(bytes) });
  };
  const telling = setInterval(() => {
    try {
      tell();
    } catch {
      // Thrown at a timer it would end Node-RED; once all is there it is thrown at the message.
    }
  }, PROGRESS_MILLISECONDS);
  const end = performance.now() + LINK_MILLISECONDS;
  let failures = 0;
  try {
    for (let furthest = 0; ; furthest = Math.max(furthest, transfer.bytes)) {
      const error = await attempt(get, transfer, call.signal);
      // All may be there while the sink is still at it.
      call.signal.throwIfAborted();
      if (error === undefined) {
        transfer.end();
        tell();
        return transfer.bytes;
      }
      rate = new Rate(transfer.bytes);
      // A link is good for the time that it was being fetched, too.
      failures = transfer.bytes > furthest ? 0 : failures + 1;
      const pause = Math.min(SHORTEST_PAUSE_MILLISECONDS * 2 ** failures, LONGEST_PAUSE_MILLISECONDS);
      if (failures > 0 && performance.now() + pause > end) throw error;
      await sleep(pause, undefined, { signal: call.signal }).catch(() => {
        throw call.signal.reason as Error;
      });
    }
  } finally {
    clearInterval(telling);
  }
}

/**
 * One request for what is left.
 * @returns undefined once all is there, or why it is not if another request may fare better.
 */
async function attempt(get: Get, transfer: Transfer, signal: AbortSignal): Promise<StashError | undefined> {
  const controller = new AbortController();
  const silence = new Silence(() => {
    transfer.isStuck = true;
    controller.abort(transfer.stuck());
  });
  const either = AbortSignal.any([signal, controller.signal]);
  try {
    await get(transfer.bytes, (body) => transfer.receive(body, silence), either);
    return transfer.isWhole ? undefined : transfer.broken('ended');
  } catch (error) {
    if (signal.aborted || !(error instanceof StashError)) throw error;
    if (error.case === 'BACKUP_INVALID.gone') throw transfer.isStuck ? transfer.stuck() : transfer.gone();
    // There is nothing behind what has come, though more was told.
    if (error.status === 416) throw transfer.changed();
    if (!isPassing(error)) throw error;
    if (error.code === 'TIMEOUT' || !transfer.hasBegun) return error;
    return transfer.broken(error.details['code'] ?? error.status ?? '');
  } finally {
    // The connection may be gone while the disk is still at what came over it; the next one must not find it so.
    await transfer.settle().finally(() => {
      silence.end();
    });
  }
}

/** The bytes of one download, over all of its requests. */
class Transfer {
  bytes = 0;
  total: number | null = null;
  hasBegun = false;
  /** It has gone silent, and nothing has come since: the server drops the link of a request that we end. */
  isStuck = false;
  /** What the sink is at. */
  #busy: Promise<void> | undefined;
  readonly #url: string;
  readonly #sink: Sink;

  constructor(url: string, sink: Sink) {
    this.#url = url;
    this.#sink = sink;
  }

  receive({ status, header }: ResponseHead, silence: Silence): Receiver | undefined {
    if (![200, 206].includes(status) || /^text\/html/i.test(header('content-type'))) return undefined;
    /** The sink is given one thing after another, though more may come at once, and what it takes its time for is no silence. */
    const give = (work: () => Promise<void> | undefined) => {
      silence.begin();
      const working = this.#busy ? this.#busy.then(work) : work();
      if (!working) return undefined;
      silence.end();
      const busy = working.then(() => {
        if (this.#busy !== busy) return;
        this.#busy = undefined;
        silence.begin();
      });
      this.#busy = busy;
      return busy;
    };
    return {
      begun: give(() => this.#begin(status === 206, header)),
      take: (piece) => {
        this.bytes += piece.length;
        this.isStuck = false;
        return give(() => this.#sink.take(piece));
      },
    };
  }

  /** Waits until the sink is ready, as it is when nothing comes any more. @throws what it threw last. */
  async settle(): Promise<void> {
    await this.#busy;
  }

  #begin(isRest: boolean, header: ResponseHead['header']): Promise<void> | undefined {
    if (isRest) {
      const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(header('content-range')) ?? [];
      if (Number(first) !== this.bytes || ![null, Number(total)].includes(this.total)) {
        throw this.changed();
      }
      this.total = Number(total);
      if (this.hasBegun) return undefined;
    } else {
      const length = header('content-length');
      this.bytes = 0;
      this.total = /^\d+$/.test(length) ? Number(length) : null;
    }
    this.hasBegun = true;
    return this.#sink.begin(this.total);
  }

  /** What was not told before is known now. */
  end(): void {
    this.total = this.bytes;
  }

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

  stuck(): StashError {
    const seconds = IDLE_MILLISECONDS / 1000;
    return new StashError('TIMEOUT.download', { details: { seconds, got: this.#got }, retry: true });
  }

  changed(): StashError {
    return new StashError('BACKUP_INVALID.changed', { details: { got: this.#got }, retry: true });
  }

  gone(): StashError {
    return new StashError('BACKUP_INVALID.gone', { status: 404, details: { got: this.#got }, retry: true });
  }
}

/** The time in which nothing comes, which must not grow too long. */
class Silence {
  readonly #tooLong: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(tooLong: () => void) {
    this.#tooLong = tooLong;
    this.begin();
  }

  begin(): void {
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(this.#tooLong, IDLE_MILLISECONDS);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** How fast something grows. */
class Rate {
  readonly #samples: { at: number; bytes: number }[];

  constructor(bytes: number) {
    this.#samples = [{ at: performance.now(), bytes }];
  }

  /** Bytes a second, of the last three seconds; `bytes` is how many there are by now. */
  of(bytes: number): number {
    const now = performance.now();
    this.#samples.push({ at: now, bytes });
    const first = this.#samples.find(({ at }) => at >= now - RATE_MILLISECONDS);
    while (this.#samples[0] !== first) this.#samples.shift();
    // It may have begun anew.
    return first && now > first.at
      ? Math.max(0, Math.round((1000 * (bytes - first.bytes)) / (now - first.at)))
      : 0;
  }
}

/** Whether the same request may fare better: not if the server no longer has what was begun. */
function isPassing({ code, retry }: StashError): boolean {
  return retry && code !== 'BACKUP_INVALID';
}
