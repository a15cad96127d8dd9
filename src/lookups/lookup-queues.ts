import { isRecord } from '../guards';
import { LookupQueue } from './lookup-queue';
import { RateLimiter, type RateLimiterState } from './rate-limiter';

/** Where the pace is kept while Node-RED is not running. */
export interface RateLimiterStore {
  /** What was written last, in this process or in one before; undefined if there is none. Never rejects. */
  read: () => Promise<unknown>;
  /** Of plain values. Never throws; a value may be lost. */
  write: (value: unknown) => void;
}

interface Member {
  pause: number;
  store: RateLimiterStore | undefined;
}

const allQueues = new Map<string, LookupQueues>();

/** The external sites that one server asks, and the pause that all who use the server keep in front of each of them. */
export class LookupQueues {
  readonly #address: string;
  readonly #members = new Map<object, Member>();
  readonly #queues = new Map<string, { site: LookupQueue; pace: RateLimiter }>();
  #restoring: Promise<void> = Promise.resolve();
  /** The pause of members who have left and may come back in a moment: that is what a redeploy looks like. */
  #departed = 0;
  /** The last member has left. */
  #isLeft = false;

  constructor(address = '') {
    this.#address = address;
  }

  /**
   * The sites of the server at an address. They are kept outside the config nodes, for the life of the process, so
   * that a redeploy grants no burst and config nodes with the same address share them. Those that are over are
   * dropped, or each address that was ever used would stay.
   */
  static of(address: string): LookupQueues {
    for (const [other, sites] of allQueues) if (sites.#isOver) allQueues.delete(other);
    const sites = allQueues.get(address) ?? new LookupQueues(address);
    allQueues.set(address, sites);
    return sites;
  }

  /**
   * Sets the pause, in milliseconds, that `member` asks for; the largest of all members counts. With a store the pace
   * goes on where it was when Node-RED stopped.
   */
  join(member: object, pause: number, store?: RateLimiterStore): void {
    this.#members.set(member, { pause, store });
    this.#departed = 0;
    this.#isLeft = false;
    if (store) this.#restore(store);
    for (const { site } of this.#queues.values()) site.reschedule();
  }

  /** The pause of one who leaves still counts before the next call, unless somebody joins until then. */
  leave(member: object): void {
    this.#departed = Math.max(this.#departed, this.#members.get(member)?.pause ?? 0);
    this.#members.delete(member);
    this.#isLeft = this.#members.size === 0;
  }

  /** Whether nobody uses them any more, and whoever came next would not have to wait. */
  get #isOver(): boolean {
    const sites = [...this.#queues.values()];
    return this.#isLeft && sites.every(({ site, pace }) => site.isIdle && pace.isOver);
  }

  /** @param source tells several external sites of a server apart. */
  at(source: string): LookupQueue {
    return this.#open(source).site;
  }

  #open(source: string): { site: LookupQueue; pace: RateLimiter } {
    const known = this.#queues.get(source);
    if (known) return known;
    const pace = new RateLimiter(() => this.#pause);
    const site = new LookupQueue(pace, {
      ready: () => this.#restoring,
      onBegin: () => {
        this.#departed = 0;
        this.#keep();
      },
      onEnd: () => {
        this.#keep();
      },
    });
    const opened = { site, pace };
    this.#queues.set(source, opened);
    return opened;
  }

  /** In milliseconds. */
  get #pause(): number {
    return Math.max(this.#departed, ...[...this.#members.values()].map(({ pause }) => pause));
  }

  #keep(): void {
    const stores = [...this.#members.values()].flatMap(({ store }) => store ?? []);
    if (stores.length === 0) return;
    const paces = Object.fromEntries([...this.#queues].map(([source, { pace }]) => [source, pace.save()]));
    for (const store of stores) store.write({ address: this.#address, paces });
  }

  #restore(store: RateLimiterStore): void {
    const restoring = store.read().then((kept) => {
      if (!isRecord(kept) || kept['address'] !== this.#address || !isRecord(kept['paces'])) return;
      for (const [source, pace] of Object.entries(kept['paces'])) {
        if (isState(pace)) this.#open(source).pace.restore(pace);
      }
    });
    this.#restoring = Promise.all([this.#restoring, restoring]).then(() => undefined);
  }
}

/** What a store gives may have been changed by hand. */
function isState(value: unknown): value is RateLimiterState {
  return (
    isRecord(value) &&
    ['endedAt', 'resumeAt', 'slowdown', 'refusals'].every((name) => {
      const number = value[name];
      return typeof number === 'number' && number >= 0;
    })
  );
}
