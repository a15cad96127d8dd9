import { setTimeout as sleep } from 'node:timers/promises';
import { type Performer, PERFORMERS } from './performers';

/** A request of the server to the external site; times as of `performance.now()`. */
export interface SiteCall {
  /** The root field that needed it, e.g. `scrapeSite`. */
  operation: string;
  /** A name, a part of it, or the address of a page. */
  name: string;
  startedAt: number;
  /** Infinity while the request runs. */
  endedAt: number;
  /** The error that the server got instead of a page. */
  failure?: string;
}

/** The rate limit of the site. */
export interface Limit {
  calls: number;
  /** The period in which the site answers so many calls; refused calls count too. */
  milliseconds: number;
}

interface PageRequest {
  operation: string;
  name: string;
  /** The address of the requested page. */
  address: string;
  /** Aborts the request. */
  until?: AbortSignal | undefined;
}

/** A request to the site failed. */
export class SiteError extends Error {
  readonly address: string;

  constructor(address: string, message: string) {
    super(message);
    this.address = address;
  }
}

/** An external site with information about performers, which may limit the rate of requests. */
export class Site {
  performers: readonly Performer[];
  /** The response time in milliseconds. */
  delay = 5;
  /** Calls beyond this many are answered only when it is raised. */
  mostAnswered = Infinity;
  /** While set, every call fails, e.g. with "http error 403:Forbidden" or "unexpected EOF". */
  failure: string | undefined;
  /** While set, calls above this limit fail with "http error 429:Too Many Requests". */
  limit: Limit | undefined;
  /** The fields that a scraper reads from the site's list. */
  listed: readonly (keyof Performer)[] = ['name', 'url'];
  readonly calls: SiteCall[] = [];
  /** The host of its pages. */
  readonly host: string;

  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal, host = 'performers.example', performers = PERFORMERS) {
    this.#signal = signal;
    this.host = host;
    this.performers = performers;
  }

  /** Returns the performers whose name or alias contains the text; all for an empty text. */
  async search(operation: string, query: string, until?: AbortSignal): Promise<Performer[]> {
    const needle = query.toLowerCase();
    return await this.#call({ operation, name: query, address: this.#searchPage(query), until }, () =>
      this.performers.filter(({ name, aliases }) =>
        `${name}\n${aliases ?? ''}`.toLowerCase().includes(needle),
      ),
    );
  }

  /** Returns the performer with exactly this name. */
  async find(operation: string, name: string): Promise<Performer | null> {
    return await this.#call({ operation, name, address: this.#searchPage(name) }, () => {
      return this.performers.find((performer) => performer.name === name) ?? null;
    });
  }

  /** Returns the performer with this page. */
  async open(operation: string, address: string, until?: AbortSignal): Promise<Performer> {
    return await this.#call({ operation, name: address, address, until }, () => {
      const found = this.performers.find(({ url }) => url === address);
      if (!found) throw new Error('http error 404:Not Found');
      return found;
    });
  }

  #searchPage(name: string): string {
    return `https://${this.host}/search?q=${encodeURIComponent(name)}`;
  }

  /** Requests a page and returns what `read` finds on it. */
  async #call<T>({ operation, name, address, until }: PageRequest, read: () => T): Promise<T> {
    const call: SiteCall = { operation, name, startedAt: performance.now(), endedAt: Infinity };
    const number = this.calls.push(call);
    const isTooMuch = this.#isTooMuch();
    const signal = until ? AbortSignal.any([this.#signal, until]) : this.#signal;
    try {
      do {
        await sleep(this.delay, undefined, { signal }).catch(() => {
          throw new Error(`Get "${address}": context canceled`);
        });
      } while (number > this.mostAnswered);
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
