import { setTimeout as sleep } from 'node:timers/promises';
import { PERFORMERS, type Performer } from './performers';

/** One call that the server made to the external site; times are those of `performance.now()`. */
export interface SiteCall {
  operation: 'scrapeSite' | 'scrapeSitePerformerList';
  name: string;
  startedAt: number;
  /** Infinity while the call is under way. */
  endedAt: number;
}

/** The external performer-information site, which does not like to be asked too often. */
export class Site {
  performers: readonly Performer[] = PERFORMERS;
  /** Milliseconds that the site takes for an answer. */
  delay = 5;
  /** While this is set, every call fails, e.g. with "http error 429:Too Many Requests". */
  failure: string | undefined;
  readonly calls: SiteCall[] = [];

  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Names that hold the text, in the name or in an alias; for an empty text that is all of them. */
  async search(query: string): Promise<string[]> {
    await this.#call('scrapeSitePerformerList', 'name', query);
    const wanted = query.toLowerCase();
    return this.performers
      .filter(({ name, aliases }) => `${name}\n${aliases ?? ''}`.toLowerCase().includes(wanted))
      .map(({ name }) => name);
  }

  /** The performer of exactly this name. */
  async find(name: string): Promise<Performer | null> {
    await this.#call('scrapeSite', 'fragment', name);
    return this.performers.find((performer) => performer.name === name) ?? null;
  }

  // The words of v0.30.1; `http error <code>:<text>` is in those of every release.
  async #call(operation: SiteCall['operation'], kind: string, name: string): Promise<void> {
    const call: SiteCall = { operation, name, startedAt: performance.now(), endedAt: Infinity };
    this.calls.push(call);
    try {
      await sleep(this.delay, undefined, { signal: this.#signal });
    } finally {
      call.endedAt = performance.now();
    }
    if (this.failure === undefined) return;
    const address = `https://performers.example/search?q=${encodeURIComponent(name)}`;
    throw new Error(
      `error while ${kind} scraping with scraper builtin_site: failed to load URL "${address}": ${this.failure}`,
    );
  }
}
