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
  /** While this is set, every call fails, e.g. with "http error 429:Too Many Requests". */
  failure: string | undefined;
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
  async search(operation: string, query: string): Promise<Performer[]> {
    await this.#call(operation, query, this.#searchPage(query));
    const wanted = query.toLowerCase();
    return this.performers.filter(({ name, aliases }) =>
      `${name}\n${aliases ?? ''}`.toLowerCase().includes(wanted),
    );
  }

  /** The performer of exactly this name. */
  async find(operation: string, name: string): Promise<Performer | null> {
    await this.#call(operation, name, this.#searchPage(name));
    return this.performers.find((performer) => performer.name === name) ?? null;
  }

  /** The performer whose page this is. */
  async open(operation: string, address: string): Promise<Performer> {
    await this.#call(operation, address, address);
    const found = this.performers.find(({ url }) => url === address);
    if (!found) throw new SiteError(address, 'http error 404:Not Found');
    return found;
  }

  #searchPage(name: string): string {
    return `https://${this.host}/search?q=${encodeURIComponent(name)}`;
  }

  async #call(operation: string, name: string, address: string): Promise<void> {
    const call: SiteCall = { operation, name, startedAt: performance.now(), endedAt: Infinity };
    this.calls.push(call);
    try {
      await sleep(this.delay, undefined, { signal: this.#signal });
    } finally {
      call.endedAt = performance.now();
    }
    if (this.failure !== undefined) throw new SiteError(address, this.failure);
  }
}
