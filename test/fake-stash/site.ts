import { setTimeout as sleep } from 'node:timers/promises';
import { type Performer, PERFORMERS } from './performers';

/** One call that the server made to the external site; times are those of `performance.now()`. */
export interface SiteCall {
  /** The root field for which it was made, e.g. `scrapeSite`. */
  operation: string;
  /** What was looked for: a name or a part of it, or the address of a page. */
  name: string;
  startedAt: number;
  /** Infinity while the call is under way. */
  endedAt: number;
  /** What the server got instead of a page. */
  failure?: string;
}

/** How often a site lets itself be asked. */
export interface Limit {
  calls: number;
  /** Within which so many calls are answered; refused ones count, too. */
  milliseconds: number;
}

interface PageRequest {
  operation: string;
  name: string;
  /** Of the page that is called for it. */
  address: string;
  /** Ends the call before the site has answered. */
  until?: AbortSignal | undefined;
}

/** The site did not give a page. */
export class SiteError extends Error {
  readonly address: string;

  constructor(address: string, message: string) {
    super(message);
    this.address = address;
  }
}

/** An external performer-information site, which does not like to be asked too often. */
export class Site {
  performers: readonly Performer[];
  /** Milliseconds that the site takes for an answer. */
  delay = 5;
  /** While this is set, every call fails, e.g. with "http error 403:Forbidden" or "unexpected EOF". */
  failure: string | undefined;
  /** While this is set, calls above it fail with "http error 429:Too Many Requests". */
  limit: Limit | undefined;
  /** What a scraper reads from the site's list of hits. */
  listed: readonly (keyof Performer)[] = ['name', 'url'];
  readonly calls: SiteCall[] = [];
  /** Where its pages are. */
  readonly host: string;

  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal, host = 'performers.example', performers = PERFORMERS) {
    this.#signal = signal;
    this.host = host;
    this.performers = performers;
  }

  /** Those whose name or alias holds the text; for an empty text that is all of them. */
  async search(operation: string, query: string, until?: AbortSignal): Promise<Performer[]> {
    const wanted = query.toLowerCase();
    return this.#call({ operation, name: query, address: this.#searchPage(query), until }, () =>
      this.performers.filter(({ name, aliases }) =>
        `${name}\n${aliases ?? ''}`.toLowerCase().includes(wanted),
      ),
    );
  }

  /** The performer of exactly this name. */
  async find(operation: string, name: string): Promise<Performer | null> {
    return this.#call({ operation, name, address: this.#searchPage(name) }, () => {
      return this.performers.find((performer) => performer.name === name) ?? null;
    });
  }

  /** The performer whose page this is. */
  async open(operation: string, address: string, until?: AbortSignal): Promise<Performer> {
    return this.#call({ operation, name: address, address, until }, () => {
      const found = this.performers.find(({ url }) => url === address);
      if (!found) throw new Error('http error 404:Not Found');
      return found;
    });
  }

  #searchPage(name: string): string {
    return `https://${this.host}/search?q=${encodeURIComponent(name)}`;
  }

  /** One call to the site, which gives what `read` finds on the page. */
  async #call<T>({ operation, name, address, until }: PageRequest, read: () => T): Promise<T> {
    const call: SiteCall = { operation, name, startedAt: performance.now(), endedAt: Infinity };
    this.calls.push(call);
    const isTooMuch = this.#isTooMuch();
    const signal = until ? AbortSignal.any([this.#signal, until]) : this.#signal;
    try {
      await sleep(this.delay, undefined, { signal }).catch(() => {
        throw new Error(`Get "${address}": context canceled`);
      });
      if (this.failure !== undefined) throw new Error(this.failure);
      if (isTooMuch) throw new Error('http error 429:Too Many Requests');
      return read();
    } catch (error) {
      call.failure = (error as Error).message;
      throw new SiteError(address, call.failure);
    } finally {
      call.endedAt = performance.now();
    }
  }

  #isTooMuch(): boolean {
    if (!this.limit) return false;
    const { calls, milliseconds } = this.limit;
    const since = performance.now() - milliseconds;
    return this.calls.filter(({ startedAt }) => startedAt >= since).length > calls;
  }
}
