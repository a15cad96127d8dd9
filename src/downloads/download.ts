import { sleep } from '../async';
import type { Call } from '../call';
import { StashError } from '../errors';
import type { Receive, RequestLog, RequestTrace, Transport } from '../http';
import { timing } from '../timing';
import { IdleTimer, type Sink, Transfer } from './transfer';

/**
 * Requests a file from byte `offset` on.
 * @param version what the server sent as the version of the file, if the rest must be of the same one.
 * @throws {StashError} for every response without the file.
 */
type GetFrom = (
  offset: number,
  receive: Receive,
  signal: AbortSignal,
  version: string | undefined,
) => Promise<void>;

/**
 * Logs each request.
 * @param path without origin.
 * @returns the size in bytes.
 * @throws as `fetchWhole`.
 */
export async function fetchFile(
  { url, path, transport, log }: { url: string; path: string; transport: Transport; log: RequestLog },
  sink: Sink,
  call: Call,
): Promise<number> {
  const get: GetFrom = async (offset, receive, signal, version) => {
    const start = performance.now();
    const trace: RequestTrace = { sent: false };
    try {
      await transport.get({ path, offset, version, receive, signal, trace });
      log.write('download', trace, start);
    } catch (error) {
      log.writeFailure('download', trace, start, error);
      throw error;
    }
  };
  return await fetchWhole(url, get, sink, call);
}

/**
 * Fetches the file behind one link. After a broken connection it resumes where the file broke off, or starts over if the server
 * does not send the rest, as long as the link works.
 * @param url the address of the server, for errors.
 * @returns the size in bytes.
 * @throws {StashError} for a file that cannot be fetched, with how much of it arrived; what the sink throws.
 */
export async function fetchWhole(url: string, get: GetFrom, sink: Sink, call: Call): Promise<number> {
  const transfer = new Transfer(url, sink);
  let throughput = new Throughput(0);
  const report = () => {
    const { bytes, total } = transfer;
    const percent = total === null ? null : bytes === total ? 100 : Math.floor((100 * bytes) / total);
    call.report?.({ download: { percent, bytes, total, bytesPerSecond: throughput.sample(bytes) } });
  };
  const reporting = setInterval(() => {
    try {
      report();
    } catch {
      // In a timer, what it throws would end Node-RED. The last report, once the file is whole, throws it at the message.
    }
  }, timing.downloads.progress);
  const deadline = performance.now() + timing.downloads.linkLife;
  let failures = 0;
  try {
    for (let furthest = 0; ; furthest = Math.max(furthest, transfer.bytes)) {
      const error = await attempt(get, transfer, call.signal);
      // The file may be whole while the sink is still busy.
      call.signal.throwIfAborted();
      if (error === undefined) {
        // Even if the server did not send it.
        transfer.total = transfer.bytes;
        report();
        return transfer.bytes;
      }
      throughput = new Throughput(transfer.bytes);
      // A link works as long as its request brings bytes.
      failures = transfer.bytes > furthest ? 0 : failures + 1;
      const pause = Math.min(timing.downloads.firstRetry * 2 ** failures, timing.downloads.longestRetry);
      if (failures > 0 && performance.now() + pause > deadline) throw error;
      await sleep(pause, call.signal);
    }
  } finally {
    clearInterval(reporting);
  }
}

/**
 * Sends one request for the rest of the file.
 * @returns undefined once the file is whole; an error after which another request may succeed.
 */
async function attempt(
  get: GetFrom,
  transfer: Transfer,
  signal: AbortSignal,
): Promise<StashError | undefined> {
  const idle = new AbortController();
  const stalled = () => transfer.stalled(timing.downloads.longestIdle / 1000);
  const idleTimer = new IdleTimer(timing.downloads.longestIdle, () => {
    transfer.isStalled = true;
    idle.abort(stalled());
  });
  const either = AbortSignal.any([signal, idle.signal]);
  try {
    await get(transfer.bytes, (head) => transfer.receive(head, idleTimer), either, transfer.version);
    return transfer.isWhole ? undefined : transfer.broken('ended');
  } catch (error) {
    if (signal.aborted || !(error instanceof StashError)) throw error;
    if (error.case === 'BACKUP_INVALID.gone') throw transfer.isStalled ? stalled() : transfer.gone();
    // 416: the file ends where we are, though the server announced more.
    if (error.status === 416) throw transfer.changed();
    // The same request cannot succeed later if the server no longer has the file.
    if (!error.retry || error.code === 'BACKUP_INVALID') throw error;
    if (error.code === 'TIMEOUT' || !transfer.hasBegun) return error;
    return transfer.broken(error.details['code'] ?? error.status ?? '');
  } finally {
    // The sink may still be writing what came over the broken connection. The next request must not find it busy.
    await transfer.settle().finally(() => idleTimer.stop());
  }
}

export class Throughput {
  readonly #samples: { at: number; bytes: number }[];

  constructor(bytes: number) {
    this.#samples = [{ at: performance.now(), bytes }];
  }

  /** @returns the bytes per second over the window that `timing` names. */
  sample(bytes: number): number {
    const now = performance.now();
    this.#samples.push({ at: now, bytes });
    const first = this.#samples.find(({ at }) => at >= now - timing.downloads.throughputWindow);
    while (this.#samples[0] !== first) this.#samples.shift();
    // A download that starts over has fewer bytes than before.
    return first && now > first.at
      ? Math.max(0, Math.round((1000 * (bytes - first.bytes)) / (now - first.at)))
      : 0;
  }
}
