import { Alarm, BackOff, Listeners, SingleFlight } from '../async';
import { StashError } from '../errors';
import type { SendRequest } from '../graphql';
import type { Socket, Subscriptions } from '../http';
import { timing } from '../timing';
import { ChangeBuffer } from './change-buffer';
import { subscriptionsTo } from './documents';
import { type EssentialEvent, isEssential, type WatcherEvent } from './events';
import { Handover } from './handover';
import type { JobTable, OrderedChange } from './job-table';
import { type Connection, LiveConnection } from './live-connection';
import { LogCollector } from './log-collector';
import { type Knowledge, Poller } from './poller';
import { jobEventReader, type ServerJobEvent } from './server-job';

/** The server, as a watcher sees it. */
export interface JobSource {
  /** Its address. */
  url: string;
  /** What tells it from others at the same address, before a deploy and after. */
  id?: string | undefined;
  request: SendRequest;
  /** @returns undefined where there can be none. */
  socket: (subscriptions: Subscriptions, signal: AbortSignal) => Promise<Socket | undefined>;
  /** Makes a text of the server fit to be shown. */
  redact: (text: string) => string;
  /** Takes one line: how the socket is, and which listener has failed. */
  log: (line: string) => void;
  /** Is called when the server does not answer and no error has said so. */
  away: () => void;
}

/** Somebody who is told of all jobs. */
export interface Subscription {
  /** What an earlier subscriber was not told, and what has happened since. */
  missed: readonly EssentialEvent[];
  /** @param untold what this subscriber was not told: the next one gets it, with all that happens until then. */
  end: (untold: readonly EssentialEvent[]) => void;
}

/** How many events are kept at most for the next subscriber. */
const MOST_KEPT = 1_000;

/** One time of watching, from the first who needs it to the last. */
interface Watch {
  controller: AbortController;
  looking: SingleFlight<void>;
  hasLooked: boolean;
}

/**
 * What closed watchers leave for the next one of the same config node and address, so that a redeploy misses no event.
 * Module-level because config nodes do not survive every deploy; by config node because several may have the same address,
 * and each has told its own subscribers something else.
 */
const knowledges = new Handover<Knowledge & { held: OrderedChange[] }>();
/** The same for ended subscriptions. Each leaves a function that stops keeping events for the next one and returns them. */
const backlogs = new Handover<() => EssentialEvent[]>((finish) => finish());

/**
 * Tracks the jobs of one server while anybody needs it: through a WebSocket where possible, otherwise by polling. It also
 * polls after every (re)connect, because a subscription does not replay the past, and whenever events leave a doubt.
 */
export class JobWatcher {
  readonly serverLog: LogCollector;
  readonly #source: JobSource;
  readonly #readEvent: (event: unknown) => ServerJobEvent;
  readonly #listeners: Listeners<WatcherEvent>;
  readonly #changes: ChangeBuffer;
  readonly #poller: Poller;
  readonly #connection: LiveConnection;
  readonly #backOff = new BackOff({
    first: timing.jobs.firstRetry,
    longest: timing.jobs.longestRetry,
    jitter: 0.5,
  });
  readonly #alarm = new Alarm();
  #holders = 0;
  /** Counts ended ones, too, while they keep events for the next one. */
  #subscribers = 0;
  #linger: NodeJS.Timeout | undefined;
  #watch: Watch | undefined;
  #heardAt = -Infinity;

  constructor(source: JobSource) {
    this.#source = source;
    this.#readEvent = jobEventReader(source.redact);
    this.#listeners = new Listeners(source.log);
    this.serverLog = new LogCollector(source.redact);
    const tell = (event: WatcherEvent) => {
      this.#listeners.tell(event);
    };
    this.#changes = new ChangeBuffer(tell);
    this.#connection = new LiveConnection({
      socket: (subscriptions, signal) => source.socket(subscriptions, signal),
      redact: source.redact,
      log: source.log,
      onOpen: () => {
        this.serverLog.begin();
      },
      onBroken: () => {
        this.#backOff.reset();
        this.#interrupt();
        this.#alarm.wake();
      },
    });
    this.#poller = new Poller({
      request: source.request,
      redact: source.redact,
      connection: () => this.#connection.current,
      changes: this.#changes,
      tell,
      wake: () => {
        this.#alarm.wake();
      },
    });
  }

  /** What is known of the server's jobs. */
  get table(): JobTable {
    return this.#poller.table;
  }

  /** Polls, and what they have found out about the server. */
  get poller(): Poller {
    return this.#poller;
  }

  /** Whether the server sends events over a synced socket. */
  get isLive(): boolean {
    return this.#connection.current?.isSynced ?? false;
  }

  /** Whether the watch has begun but its first look has not finished. */
  get isBeginning(): boolean {
    return this.#watch?.hasLooked === false;
  }

  /** Watches until the returned function is called, and a little longer. */
  acquire(): () => void {
    return this.#acquire(undefined);
  }

  /**
   * Watches for a listener that must see every job. It goes on from where a subscription to the same config node and
   * address ended, if that was less than a minute ago.
   */
  subscribe(): Subscription {
    this.#subscribers++;
    const finish = backlogs.take(this.#key);
    const release = this.#acquire(finish && knowledges.take(this.#key));
    return {
      missed: finish?.() ?? [],
      end: (untold) => {
        const kept = [...untold];
        const unlisten = this.listen((event) => {
          if (isEssential(event)) kept.push(event);
          if (kept.length > MOST_KEPT) kept.shift();
        });
        // Until then it is watched as if somebody still followed the jobs.
        backlogs.leave(this.#key, () => {
          unlisten();
          this.#subscribers--;
          release();
          return kept;
        });
      },
    };
  }

  /** Ends all watching at once, and leaves what is known to the next watcher. */
  close(): void {
    const { knowledge } = this.#poller;
    if (knowledge && this.#subscribers > 0) {
      knowledges.replace(this.#key, { ...knowledge, held: this.#changes.held });
    }
    clearTimeout(this.#linger);
    this.#watch?.controller.abort();
    this.#watch = undefined;
    this.#connection.close();
    this.#poller.continuity.end();
    this.#changes.clear();
    this.#backOff.reset();
  }

  /** Calls `listener` for each event, also between two watches. @returns a function that removes it. */
  listen(listener: (event: WatcherEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Resolves when the jobs are tracked. @throws {StashError} if the server cannot be asked. */
  async ready(signal: AbortSignal): Promise<void> {
    if (!this.isLive) await this.#watch?.looking.get(signal);
  }

  /** Polls soon, because the server sends no event for some changes. */
  requestPoll(): void {
    this.#poller.requestPoll();
  }

  get #key(): string {
    const { id = '', url } = this.#source;
    return `${id} ${url}`;
  }

  #acquire(before: (Knowledge & { held: OrderedChange[] }) | undefined): () => void {
    this.#holders++;
    clearTimeout(this.#linger);
    if (!this.#watch) this.#begin(before);
    this.#alarm.wake();
    return () => {
      this.#holders--;
      if (this.#holders > 0) return;
      this.#linger = setTimeout(() => {
        this.close();
      }, timing.jobs.linger).unref();
    };
  }

  #begin(before: (Knowledge & { held: OrderedChange[] }) | undefined): void {
    this.#changes.clear();
    if (before) this.#changes.hold(before.held);
    this.#poller.begin(before);
    // Not shared between two times of watching: whoever watches now must not wait for what was given up before.
    const looking = new SingleFlight(() => this.#look());
    const controller = new AbortController();
    this.#watch = { controller, looking, hasLooked: false };
    void this.#run(looking, controller.signal);
  }

  /** Looks again each time that it is due, until the signal is aborted. */
  async #run(looking: SingleFlight<void>, signal: AbortSignal): Promise<void> {
    const ticker = setInterval(() => {
      if (!this.#poller.continuity.isAway) this.#listeners.tell({ type: 'tick' });
    }, timing.jobs.tick).unref();
    try {
      for (;;) {
        try {
          await looking.get(signal);
          this.#backOff.reset();
        } catch (error) {
          signal.throwIfAborted();
          this.#interrupt();
          if (error instanceof StashError && error.code === 'TIMEOUT') this.#source.away();
          if (error instanceof StashError && isLasting(error))
            this.#listeners.tell({ type: 'failed', error });
        }
        await this.#alarm.sleepUntil(() => this.#due, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      clearInterval(ticker);
    }
  }

  #interrupt(): void {
    this.#backOff.fail();
    this.#poller.interrupt();
  }

  /** When the server is to be polled next. */
  get #due(): number {
    if (this.#backOff.failures > 0) return this.#backOff.retryAt;
    const { polledAt } = this.#poller;
    const soon = polledAt + timing.jobs.pollInterval;
    const connection = this.#connection.current;
    // What came between the subscription and the first poll may have been told by neither.
    const isSettled = connection && polledAt >= connection.openedAt + timing.jobs.pollInterval;
    if (this.#poller.isPollRequested || !isSettled) return soon;
    const isBusy = !this.table.isIdle || this.#poller.isTracking;
    return isBusy ? Math.max(polledAt, this.#heardAt) + timing.jobs.longestSilence : Infinity;
  }

  /** Polls, and opens the socket where there is none. */
  async #look(): Promise<void> {
    const watch = this.#watch;
    if (!watch) return;
    const { signal } = watch.controller;
    const isFirst = !watch.hasLooked;
    // What can be subscribed to is known from the server's schema, which comes with the first poll.
    await this.#poller.poll(signal);
    const connecting = this.#connect(signal);
    if (isFirst) {
      if (await connecting) await this.#poller.poll(signal);
      watch.hasLooked = true;
      return;
    }
    // Something in between may let it hang for long.
    void connecting.then(
      (isConnected) => {
        if (isConnected) this.requestPoll();
      },
      () => undefined,
    );
  }

  async #connect(signal: AbortSignal): Promise<boolean> {
    if (this.#poller.isSlot) return false;
    const subscriptions = (connection: Connection) =>
      subscriptionsTo(this.#poller.fields, {
        onLog: (lines) => {
          this.serverLog.add(lines);
        },
        onEvent: (event) => {
          this.#hear(event, connection);
        },
      });
    return this.#connection.open(subscriptions, signal);
  }

  /** Applies an event. One that cannot be read makes the state uncertain, so the server is polled. */
  #hear(event: unknown, connection: Connection): void {
    this.#heardAt = performance.now();
    let read: ServerJobEvent;
    try {
      read = this.#readEvent(event);
    } catch {
      this.#source.log('an event could not be read, so the server is polled');
      this.requestPoll();
      return;
    }
    const isAmbiguous = this.table.applyEvent(read, connection);
    this.#poller.continuity.confirm();
    if (isAmbiguous) this.requestPoll();
  }
}

/** Whether an error will stay until somebody does something about it. */
function isLasting({ code }: StashError): boolean {
  return ['UNAUTHORIZED', 'TLS', 'UNSUPPORTED', 'TOO_LARGE'].includes(code);
}
