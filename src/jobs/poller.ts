import { neverAborted, SingleFlight, sleep } from '../async';
import { timing } from '../timing';
import { Continuity } from './continuity';
import { jobFields, idsToRequest, type JobSnapshot, snapshotOperation } from './documents';
import type { ChangeBuffer, WatcherEvent } from './events';
import { JobTable } from './job-table';
import type { JobSource, OpenConnection } from './live-connection';
import type { TrackedJob } from './tracked-job';

/** The most requests of one poll. The remaining jobs follow a second later. */
const MOST_ROUNDS = 10;

export interface PollerOptions extends Pick<JobSource, 'request' | 'redact'> {
  /** Returns the open connection on which the server sends events. */
  connection: () => OpenConnection | undefined;
  /** Receives the changes that a poll finds. */
  changes: ChangeBuffer;
  emit: (event: WatcherEvent) => void;
  /** Called when the time of the next poll may have changed. */
  wake: () => void;
}

/** Polls a server for its jobs, merges the responses into a table, and detects missed jobs. */
export class Poller {
  readonly continuity = new Continuity();
  readonly table = new JobTable();
  readonly #options: PollerOptions;
  readonly #polling = new SingleFlight(() => this.#poll());
  readonly #tracked = new Map<string, number>();
  /** The time when the last poll was sent or answered, by `performance.now()`. */
  polledAt = -Infinity;
  /** The time when the last answered poll was sent, by `performance.now()`. */
  requestedAt = -Infinity;
  /** Whether a poll was requested and not sent yet. */
  isPollRequested = false;
  /**
   * How many polls have failed. If that has changed, the server may have restarted. A broken socket does not count: a proxy may
   * close one at any time, and the polls of an unreachable server fail.
   */
  failures = 0;
  /** The fields that this server has for a job; empty before the first poll. */
  fields = '';

  constructor(options: PollerOptions) {
    this.#options = options;
    this.table.listen((change) => {
      options.changes.add(change);
      options.wake();
    });
  }

  /** Whether polls request any job by its ID. */
  get isTracking(): boolean {
    return this.#tracked.size > 0;
  }

  /** Marks that changes may be missed until the next poll. */
  interrupt(): void {
    this.#options.changes.buffer();
    if (this.continuity.interrupt()) this.#options.emit({ type: 'unreachable' });
  }

  /**
   * Adds job `id` to every poll until the returned function is called, for a job known only from the response to its start.
   */
  track(id: string): () => void {
    this.#tracked.set(id, (this.#tracked.get(id) ?? 0) + 1);
    this.requestPoll();
    return () => {
      const count = (this.#tracked.get(id) ?? 1) - 1;
      if (count === 0) this.#tracked.delete(id);
      else this.#tracked.set(id, count);
    };
  }

  /** Polls soon, because of a change without an event or an ambiguous answer. */
  requestPoll(): void {
    this.isPollRequested = true;
    this.#options.wake();
  }

  /** Polls, or joins a poll in flight. @throws {StashError} */
  async poll(signal: AbortSignal): Promise<void> {
    await this.#polling.get(signal);
  }

  /** Polls until a poll that was sent after this call has succeeded. @throws {StashError} */
  async pollAgain(signal: AbortSignal): Promise<void> {
    const since = performance.now();
    do await this.poll(signal);
    while (this.requestedAt < since);
  }

  /**
   * As `pollAgain`, but not before a second has passed since the last poll.
   * @returns whether the server responded.
   * @throws the signal's reason once it is aborted.
   */
  async tryPoll(signal: AbortSignal): Promise<boolean> {
    const wait = this.polledAt + timing.jobs.pollInterval - performance.now();
    try {
      if (wait > 0) await sleep(wait, signal);
      await this.pollAgain(signal);
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }

  async #poll(): Promise<void> {
    const { changes } = this.#options;
    const { newest, restarts, open, nextSequence: firstSequence } = this.table;
    const connection = this.#options.connection();
    const { confirmedAt: from, isInterrupted: wasInterrupted, state } = this.continuity;
    const hasEvents = connection?.isSynced === true && !wasInterrupted;
    this.isPollRequested = false;
    if (!hasEvents) changes.buffer();
    let isContinuous = !wasInterrupted;
    try {
      for (let round = 1; ; round++) {
        const before = this.table.newest;
        const answer = await this.#request(connection, from === undefined);
        // The newest job from before shows whether the server continued to count from there.
        if (before === newest && newest && !hasEvents) isContinuous = isStillListed(newest, answer);
        const last = this.table.newest;
        // More jobs may have ended meanwhile than the poll requested.
        if (last === before || answer.queue.some(({ id }) => id === last?.job.id)) break;
        if (round === MOST_ROUNDS) {
          this.requestPoll();
          break;
        }
      }
    } catch (error) {
      this.failures += 1;
      throw error;
    }
    if (connection) connection.isSynced = true;
    if (this.continuity.succeed(state)) this.table.resume();
    if (isContinuous) {
      changes.release();
      return;
    }
    const areLost = open.some(({ outcome, job }) => outcome === 'LOST' && job.status !== 'LOST');
    const isRestarted = this.table.restarts > restarts || areLost;
    const [reason, to] = [isRestarted ? 'restarted' : 'away', new Date().toISOString()] as const;
    changes.release(from && { event: { type: 'gap', reason, from: from.toISOString(), to }, firstSequence });
    // The server restarted, or lists too few jobs to exclude that.
    if (this.table.newest === newest) this.table.newest = undefined;
    this.requestPoll();
  }

  /** Sends one request, and applies the response. */
  async #request(connection: OpenConnection | undefined, silent: boolean): Promise<JobSnapshot> {
    const table = this.table;
    const { nextSequence: firstSequence } = table;
    const tracked = [...this.#tracked.keys()];
    const ids = idsToRequest(table, tracked);
    const never = neverAborted();
    const sentAt = performance.now();
    this.polledAt = sentAt;
    const snapshot = await this.#options.request({
      kind: 'query',
      call: { signal: never, waiting: never },
      build: (schema) => {
        this.fields = jobFields(schema);
        return snapshotOperation(schema, ids, this.#options.redact);
      },
    });
    this.polledAt = performance.now();
    this.requestedAt = sentAt;
    if (table.applySnapshot(snapshot, { firstSequence, silent, connection })) this.requestPoll();
    const unknown = tracked.filter((id) => snapshot.found.get(id) === null);
    this.#options.emit({ type: 'polled', unknown: new Set(unknown) });
    return snapshot;
  }
}

function isStillListed({ outcome, job }: TrackedJob, { found }: JobSnapshot): boolean {
  return outcome === undefined || found.get(job.id)?.addTime === job.addTime;
}
