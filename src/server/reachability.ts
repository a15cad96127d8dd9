import { Listeners } from '../async';
import type { StashError } from '../errors';
import type { ReachEvent } from '../records';

/** Whether the server was reachable at the last request. */
export type Reachability =
  | {
      reachable: true;
      release: string;
      /** It was unreachable, or is another release than before. */
      back: boolean;
    }
  | { reachable: false };

/** Since when and why a server is unreachable. */
export interface Outage {
  /** When that was noticed. */
  since: Date;
  reason: StashError;
}

/** Remembers whether a server is reachable, and reports each change. */
export class ReachabilityMonitor {
  readonly #url: string;
  readonly #listeners: Listeners<Reachability>;
  readonly #followers: Listeners<ReachEvent>;
  #current: Reachability | undefined;
  #release = '';
  #outage: Outage | undefined;
  /** The errors of all outages. */
  readonly #reasons = new WeakSet<StashError>();

  /** @param url of the server, for events. @param report logs one line about a listener that has thrown. */
  constructor(url: string, report: (line: string) => void) {
    this.#url = url;
    this.#listeners = new Listeners(report);
    this.#followers = new Listeners(report);
  }

  /** Calls `listener` at once if the state is known, and at each change. @returns a function that removes the listener. */
  subscribe(listener: (reachability: Reachability) => void): () => void {
    if (this.#current) listener(this.#current);
    return this.#listeners.add(listener);
  }

  /**
   * Calls `listener` each time the server becomes unreachable or reachable, and if it is unreachable when its state is first known: it
   * may have stopped before Node-RED started. @returns a function that removes the listener.
   */
  follow(listener: (event: ReachEvent) => void): () => void {
    return this.#followers.add(listener);
  }

  /** The current outage; undefined unless the server is unreachable. */
  get outage(): Outage | undefined {
    return this.#outage;
  }

  /** Whether an error has marked the server as unreachable, and it is back. */
  hasRecoveredFrom(error: StashError): boolean {
    return !this.#outage && this.#reasons.has(error);
  }

  /** Marks the server, of this release, as reachable. */
  markReachable(release: string): void {
    this.#outage = undefined;
    const known = this.#current;
    if (known?.reachable && known.release === release) return;
    this.#release = release;
    this.#change({ reachable: true, release, back: known !== undefined });
  }

  markUnreachable(reason: StashError): void {
    this.#reasons.add(reason);
    this.#outage = { since: this.#outage?.since ?? new Date(), reason };
    if (this.#current?.reachable !== false) this.#change({ reachable: false });
  }

  #change(reachability: Reachability): void {
    this.#current = reachability;
    this.#listeners.emit(reachability);
    if (reachability.reachable && !reachability.back) return;
    const type = reachability.reachable ? 'back' : 'away';
    const since = new Date().toISOString();
    this.#followers.emit({ type, url: this.#url, since, release: this.#release });
  }
}
