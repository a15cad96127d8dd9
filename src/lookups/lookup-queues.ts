import type { QueueState } from '../call';
import { isRecord } from '../guards';
import type { ValueStore } from '../value-store';
import { LookupQueue } from './lookup-queue';
import { RateLimiter, type RateLimiterState } from './rate-limiter';

export interface SiteState {
  source: string;
  /** `asking` while a request is in flight, `refused` while the site blocks requests. */
  state: QueueState;
  /** The earliest start of the next request, in milliseconds since 1970; it may be in the past. */
  nextAt: number;
  /** The number of messages without a request in flight. */
  waiting: number;
  /** The number of messages in the queue by the ID of their node; empty for those of no node. */
  nodes: ReadonlyMap<string, number>;
}

/** By the server's address. */
const allQueues = new Map<string, LookupQueues>();

/** The queues of one address, one for each external site. They share one pause: the longest of all config nodes with that address. */
export class LookupQueues {
  readonly #address: string;
  readonly #servers = new Map<
    object,
    {
      /** In milliseconds. */
      pause: number;
      store: ValueStore | undefined;
    }
  >();
  readonly #queues = new Map<string, { queue: LookupQueue; limiter: RateLimiter }>();
  #restoring: Promise<void> = Promise.resolve();
  /** The pause, in milliseconds, of removed servers, which may soon come back, as in a redeploy. */
  #lastPause = 0;

  constructor(address = '') {
    this.#address = address;
  }

  /**
   * Returns the queues of the server at an address. They live outside the config nodes, so that a redeploy allows no burst and
   * config nodes with the same address share them. Unused queues are dropped.
   */
  static of(address: string): LookupQueues {
    for (const [other, queues] of allQueues) if (queues.#isOver) allQueues.delete(other);
    const queues = allQueues.get(address) ?? new LookupQueues(address);
    allQueues.set(address, queues);
    return queues;
  }

  /**
   * Sets the pause of `server`, in milliseconds. With a store, the rate limiters continue with the state from before Node-RED
   * stopped.
   */
  register(server: object, pause: number, store?: ValueStore): void {
    this.#servers.set(server, { pause, store });
    this.#lastPause = 0;
    if (store) this.#restore(store);
    for (const { queue } of this.#queues.values()) queue.reschedule();
  }

  /** The pause of a removed server still counts before the next call, unless another one registers before that. */
  unregister(server: object): void {
    this.#lastPause = Math.max(this.#lastPause, this.#servers.get(server)?.pause ?? 0);
    this.#servers.delete(server);
  }

  at(source: string): LookupQueue {
    return this.#open(source).queue;
  }

  /** The sites for which messages wait, and those that block requests. */
  get states(): SiteState[] {
    return [...this.#queues].flatMap(([source, { queue }]) => {
      const { state, nextAt, calls } = queue.snapshot;
      if (calls.length === 0 && !(state === 'refused' && nextAt > performance.now())) return [];
      const nodes = new Map<string, number>();
      for (const { origin = '' } of calls) nodes.set(origin, (nodes.get(origin) ?? 0) + 1);
      const waiting = state === 'asking' ? calls.length - 1 : calls.length;
      return [{ source, state, nextAt: dateOf(nextAt), waiting, nodes }];
    });
  }

  /** Whether the queues have no servers, and a next call would not have to wait. */
  get #isOver(): boolean {
    const queues = [...this.#queues.values()];
    return this.#servers.size === 0 && queues.every(({ queue, limiter }) => queue.isIdle && limiter.isOver);
  }

  #open(source: string): { queue: LookupQueue; limiter: RateLimiter } {
    const existing = this.#queues.get(source);
    if (existing) return existing;
    const limiter = new RateLimiter(() => this.#pause);
    const queue = new LookupQueue(limiter, {
      ready: () => this.#restoring,
      onBegin: () => {
        this.#lastPause = 0;
        this.#save();
      },
      onEnd: () => this.#save(),
    });
    const opened = { queue, limiter };
    this.#queues.set(source, opened);
    return opened;
  }

  /** In milliseconds. */
  get #pause(): number {
    return Math.max(this.#lastPause, ...[...this.#servers.values()].map(({ pause }) => pause));
  }

  #save(): void {
    const stores = [...this.#servers.values()].flatMap(({ store }) => store ?? []);
    if (stores.length === 0) return;
    const limiters = Object.fromEntries(
      [...this.#queues].map(([source, { limiter }]) => [source, limiter.state()]),
    );
    for (const store of stores) store.write({ address: this.#address, limiters });
  }

  #restore(store: ValueStore): void {
    const restoring = store.read().then((stored) => {
      if (!isRecord(stored) || stored['address'] !== this.#address || !isRecord(stored['limiters'])) return;
      for (const [source, state] of Object.entries(stored['limiters'])) {
        if (isState(state)) this.#open(source).limiter.restore(state);
      }
    });
    this.#restoring = Promise.all([this.#restoring, restoring]).then(() => undefined);
  }
}

/** Converts a time by `performance.now()` to one in milliseconds since 1970. */
function dateOf(time: number): number {
  return Math.round(Date.now() + Math.max(time, 0) - performance.now());
}

/** A user may have changed the stored value. */
function isState(value: unknown): value is RateLimiterState {
  return (
    isRecord(value) &&
    ['endedAt', 'resumeAt', 'penalty', 'refusals'].every((name) => {
      const number = value[name];
      return typeof number === 'number' && number >= 0;
    })
  );
}
