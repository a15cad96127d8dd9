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

/** The queues of one server, one for each external site. They share one pause: the longest of all members. */
export class LookupQueues {
  readonly #address: string;
  readonly #members = new Map<
    object,
    {
      /** In milliseconds. */
      pause: number;
      store: ValueStore | undefined;
    }
  >();
  readonly #queues = new Map<string, { queue: LookupQueue; limiter: RateLimiter }>();
  #restoring: Promise<void> = Promise.resolve();
  /** The pause, in milliseconds, of members that left and may soon come back, as in a redeploy. */
  #departed = 0;

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
   * Sets the pause of `member`, in milliseconds. With a store, the rate limiters continue with the state from before Node-RED
   * stopped.
   */
  join(member: object, pause: number, store?: ValueStore): void {
    this.#members.set(member, { pause, store });
    this.#departed = 0;
    if (store) this.#restore(store);
    for (const { queue } of this.#queues.values()) queue.reschedule();
  }

  /** The pause of a member that leaves still counts before the next call, unless another one joins before that. */
  leave(member: object): void {
    this.#departed = Math.max(this.#departed, this.#members.get(member)?.pause ?? 0);
    this.#members.delete(member);
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

  /** Whether the queues have no members, and a next call would not have to wait. */
  get #isOver(): boolean {
    const queues = [...this.#queues.values()];
    return this.#members.size === 0 && queues.every(({ queue, limiter }) => queue.isIdle && limiter.isOver);
  }

  #open(source: string): { queue: LookupQueue; limiter: RateLimiter } {
    const known = this.#queues.get(source);
    if (known) return known;
    const limiter = new RateLimiter(() => this.#pause);
    const queue = new LookupQueue(limiter, {
      ready: () => this.#restoring,
      onBegin: () => {
        this.#departed = 0;
        this.#save();
      },
      onEnd: () => {
        this.#save();
      },
    });
    const opened = { queue, limiter };
    this.#queues.set(source, opened);
    return opened;
  }

  /** In milliseconds. */
  get #pause(): number {
    return Math.max(this.#departed, ...[...this.#members.values()].map(({ pause }) => pause));
  }

  #save(): void {
    const stores = [...this.#members.values()].flatMap(({ store }) => store ?? []);
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
