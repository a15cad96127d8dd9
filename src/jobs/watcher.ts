import { Alarm, answeredWithin, BackOff, Listeners, SingleFlight } from '../async';
import { StashError } from '../errors';
import { isIncompatible } from '../graphql';
import { timing } from '../timing';
import { subscriptionsTo, flushOperation } from './documents';
import { ChangeBuffer, type WatcherEvent } from './events';
import type { JobTable } from './job-table';
import { type Connection, type JobSource, LiveConnection } from './live-connection';
import { LogCollector, type LogEntry } from './log-collector';
import { Poller } from './poller';
import { jobEventReader, type ServerJobEvent } from './server-job';

/**
 * Tracks a server's jobs while at least one caller needs them: over a WebSocket where possible, otherwise by polling. Also
 * polls after every (re)connect, because a subscription does not replay past events, and whenever events are ambiguous.
 */
export class JobWatcher {
  readonly #source: JobSource;
  readonly #readEvent: (event: unknown) => ServerJobEvent;
  readonly #listeners: Listeners<WatcherEvent>;
  readonly #logListeners: Listeners<readonly LogEntry[]>;
  readonly #changes: ChangeBuffer;
  /** It also knows what the server supports. */
  readonly poller: Poller;
  readonly #connection: LiveConnection;
  readonly #backOff = new BackOff({
    first: timing.jobs.firstRetry,
    longest: timing.jobs.longestRetry,
    jitter: 0.5,
  });
  readonly #alarm = new Alarm();
  #users = 0;
  /** How many of them need only the log. */
  #logUsers = 0;
  #linger: NodeJS.Timeout | undefined;
  /** One period of watching, from the first `acquire` to the last release. */
  #watch: { controller: AbortController; polling: SingleFlight<void>; hasPolled: boolean } | undefined;
  #eventAt = -Infinity;
  /** When this process was last seen to run, by the system clock, which goes on while the machine is suspended. */
  #awakeAt = 0;
  /** The error of the last poll since watching began; undefined if it succeeded. */
  failure: StashError | undefined;

  constructor(source: JobSource) {
    this.#source = source;
    this.#readEvent = jobEventReader(source.redact);
    this.#listeners = new Listeners(source.log);
    this.#logListeners = new Listeners(source.log);
    const emit = (event: WatcherEvent) => this.#listeners.emit(event);
    this.#changes = new ChangeBuffer(emit);
    this.#connection = new LiveConnection({
      socket: (subscriptions, signal) => source.socket(subscriptions, signal),
      redact: source.redact,
      log: source.log,
      onBroken: () => {
        this.#backOff.reset();
        this.#interrupt();
        this.#alarm.wake();
      },
    });
    this.poller = new Poller({
      request: source.request,
      redact: source.redact,
      connection: () => this.#connection.current,
      changes: this.#changes,
      emit,
      wake: () => this.#alarm.wake(),
    });
  }

  get table(): JobTable {
    return this.poller.table;
  }

  /** Whether the server sends events over a synced socket. */
  get isLive(): boolean {
    return this.#connection.current?.isSynced ?? false;
  }

  /** Whether watching has begun, but its first poll has not finished. */
  get isBeginning(): boolean {
    return this.#watch?.hasPolled === false;
  }

  /** Whether watching goes on, and the jobs are known since its first poll. */
  get hasBegun(): boolean {
    return this.#watch?.hasPolled === true && (this.isLive || !this.#isForLog);
  }

  /** Whether only the log is needed: then the jobs are not polled, and are known only while the server sends events. */
  get #isForLog(): boolean {
    return this.#logUsers > 0 && this.#users === this.#logUsers;
  }

  /** Watches until the returned function is called, and a little longer. @param linger how much, in milliseconds. */
  acquire(linger = timing.jobs.linger): () => void {
    // Nobody needed the jobs until now: what they did is not reported.
    if (this.#watch && !this.isLive && this.#isForLog) this.close();
    return this.#hold(linger);
  }

  #hold(linger = timing.jobs.linger): () => void {
    this.#users++;
    clearTimeout(this.#linger);
    if (!this.#watch) this.#begin();
    this.#alarm.wake();
    return () => {
      this.#users--;
      if (this.#users > 0) return;
      this.#linger = setTimeout(() => this.close(), linger).unref();
    };
  }

  /** Stops watching at once. */
  close(): void {
    clearTimeout(this.#linger);
    this.#watch?.controller.abort();
    this.#watch = undefined;
    this.#connection.close();
    this.poller.continuity.reset();
    this.#changes.clear();
    this.#backOff.reset();
    this.failure = undefined;
  }

  /** Calls `listener` for each event, also between two periods of watching. @returns a function that removes it. */
  listen(listener: (event: WatcherEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Watches, and calls `listener` for each batch of the log, in which lines are in no exact order. @returns a function that ends this. */
  followLog(listener: (lines: readonly LogEntry[]) => void): () => void {
    this.#logUsers++;
    const ends = [this.#logListeners.add(listener), this.#hold()];
    return () => {
      this.#logUsers--;
      ends.forEach((end) => end());
    };
  }

  /** Since when no line of the log is missing, by `performance.now()`; undefined while it is not followed. */
  get logSince(): number | undefined {
    const { log, openedAt } = this.#connection.current ?? {};
    return log?.isOpen && openedAt !== undefined ? Math.max(log.since, openedAt) : undefined;
  }

  /** Resolves when the jobs are tracked. @throws {StashError} if the server cannot be polled. */
  async ready(signal: AbortSignal): Promise<void> {
    if (!this.isLive) await this.#watch?.polling.get(signal);
  }

  /** Polls soon although the last polls have failed. */
  retry(): void {
    this.#backOff.reset();
    this.poller.requestPoll();
  }

  /** Makes the server write a line of log, if it can. Without the line, a record says that its log lines are unknown. */
  async flush(): Promise<void> {
    await this.#source.attempt(flushOperation);
  }

  #begin(): void {
    // The start of a job may have polled meanwhile.
    this.#changes.clear();
    this.poller.continuity.reset();
    // Not shared between two periods of watching: a new one must not wait for a poll that the last one aborted.
    const polling = new SingleFlight(() => this.#poll());
    const controller = new AbortController();
    this.#watch = { controller, polling, hasPolled: false };
    void this.#run(polling, controller.signal);
  }

  /** Polls and connects each time that it is due, until the signal is aborted. */
  async #run(polling: SingleFlight<void>, signal: AbortSignal): Promise<void> {
    this.#awakeAt = Date.now();
    const ticker = setInterval(() => {
      const connection = this.#connection.current;
      // What arrived after a pause may not be all.
      if (!this.#checkPause() && connection?.isSynced) this.poller.continuity.extend(connection.receivedAt());
      if (!this.poller.continuity.isInterrupted) this.#listeners.emit({ type: 'tick' });
    }, timing.jobs.tick).unref();
    try {
      for (;;) {
        try {
          await polling.get(signal);
          this.#backOff.reset();
        } catch (error) {
          signal.throwIfAborted();
          this.failure = error instanceof StashError ? error : undefined;
          this.#interrupt();
          if (error instanceof StashError && error.code === 'TIMEOUT') this.#source.onUnreachable(error);
          if (error instanceof StashError && isLasting(error))
            this.#listeners.emit({ type: 'failed', error });
          this.#listeners.emit({ type: 'pollFailed' });
        }
        await this.#alarm.sleepUntil(() => this.#due, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      clearInterval(ticker);
    }
  }

  /**
   * Closes the socket if this process stood still for long: the server may have discarded lines of log, and does not say so.
   * @returns whether it did.
   */
  #checkPause(): boolean {
    const before = this.#awakeAt;
    this.#awakeAt = Date.now();
    const isLong = this.#awakeAt - before > timing.jobs.longestPause;
    if (isLong) this.#connection.break();
    return isLong;
  }

  #interrupt(): void {
    this.#backOff.fail();
    this.poller.interrupt();
  }

  get #due(): number {
    if (this.#backOff.failures > 0) return this.#backOff.retryAt;
    const { polledAt } = this.poller;
    const soon = polledAt + timing.jobs.pollInterval;
    const connection = this.#connection.current;
    // Neither the subscription nor the first poll may have reported a change between the two.
    const isSettled = connection && polledAt >= connection.openedAt + timing.jobs.pollInterval;
    if (this.poller.isPollRequested) return soon;
    // Nobody needs the jobs.
    if (this.#isForLog) return Math.max(this.#connection.retryAt, soon);
    if (!isSettled) return soon;
    const isBusy = !this.table.isIdle || this.poller.isTracking;
    return isBusy ? Math.max(polledAt, this.#eventAt) + timing.jobs.longestSilence : Infinity;
  }

  /** Polls, and opens the socket if none is open. */
  async #poll(): Promise<void> {
    const watch = this.#watch;
    if (!watch) return;
    const { signal } = watch.controller;
    const isFirst = !watch.hasPolled;
    // The first poll loads the schema, which shows what the server lets us subscribe to.
    await this.poller.poll(signal);
    this.failure = undefined;
    const connecting = this.#connect(signal);
    if (isFirst) {
      // A job that starts after the flush has a line of log before it.
      if (await connecting) await Promise.all([this.poller.poll(signal), this.#awaitFlush()]);
      watch.hasPolled = true;
      return;
    }
    // A proxy may leave the handshake pending for a long time.
    void connecting.then(
      (isConnected) => {
        if (isConnected) {
          void this.flush();
          this.poller.requestPoll();
        } else {
          // The time of the next attempt is known now.
          this.#alarm.wake();
        }
      },
      () => undefined,
    );
  }

  /** Flushes the log, but does not wait long for the response: the first message waits for it, too. */
  async #awaitFlush(): Promise<void> {
    const late = () => new Error('It takes too long.');
    await answeredWithin(timing.jobs.longestFlush, this.flush(), late).catch(() => undefined);
  }

  async #connect(signal: AbortSignal): Promise<boolean> {
    const subscriptions = (connection: Connection) =>
      subscriptionsTo(this.poller.fields, {
        onLog: (lines) => {
          this.#checkPause();
          const { log } = connection;
          const isWhole = log.add(lines);
          if (isWhole) this.#logListeners.emit(lines);
          if (!log.isOpen)
            connection.log = new LogCollector(this.#source.redact, isWhole ? log.since : undefined);
        },
        onEvent: (event) => this.#onEvent(event, connection),
      });
    return await this.#connection.open(subscriptions, signal);
  }

  /** Applies an event. After an unreadable one the state is uncertain, so the server is polled. */
  #onEvent(event: unknown, connection: Connection): void {
    this.#eventAt = performance.now();
    let read: ServerJobEvent;
    try {
      read = this.#readEvent(event);
    } catch {
      this.#source.log('an event could not be read, so the server is polled');
      this.poller.requestPoll();
      return;
    }
    const isAmbiguous = this.table.applyEvent(read, connection);
    this.poller.continuity.confirm();
    if (isAmbiguous) this.poller.requestPoll();
  }
}

/** Whether an error lasts until the user fixes its cause. */
function isLasting(error: StashError): boolean {
  return ['UNAUTHORIZED', 'TLS', 'TOO_LARGE'].includes(error.code) || isIncompatible(error);
}
