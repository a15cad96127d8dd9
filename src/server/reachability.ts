import { Listeners } from '../async';

/** Whether the server was reachable at the last request. */
export type Reachability =
  | { reachable: true; release: string; /** It was away, or is another release than before. */ back: boolean }
  | { reachable: false };

/** Remembers whether a server is reachable, and reports each change. */
export class ReachabilityMonitor {
  readonly #listeners: Listeners<Reachability>;
  #current: Reachability | undefined;

  /** @param report logs one line about a listener that has thrown. */
  constructor(report: (line: string) => void) {
    this.#listeners = new Listeners(report);
  }

  /** Calls `listener` at once if the state is known, and at each change. @returns a function that removes the listener. */
  subscribe(listener: (reachability: Reachability) => void): () => void {
    if (this.#current) listener(this.#current);
    return this.#listeners.add(listener);
  }

  /** Marks the server, of this release, as reachable. */
  markReachable(release: string): void {
    const known = this.#current;
    if (known?.reachable && known.release === release) return;
    this.#change({ reachable: true, release, back: known !== undefined });
  }

  /** Marks the server as unreachable. */
  markAway(): void {
    if (this.#current?.reachable !== false) this.#change({ reachable: false });
  }

  #change(reachability: Reachability): void {
    this.#current = reachability;
    this.#listeners.tell(reachability);
  }
}
