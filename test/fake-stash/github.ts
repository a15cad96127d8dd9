import { setTimeout as sleep } from 'node:timers/promises';

/** A release of Stash on GitHub. */
export interface PublishedRelease {
  version: string;
  /** The full hash of its commit. */
  hash: string;
  date: string;
  /** The address of the program for the platform of the server; empty if there is none. */
  url: string;
}

/** `Github.failure` of a server without a connection to the internet. */
export const OFFLINE =
  'Get "https://api.github.com/repos/stashapp/stash/releases/latest": dial tcp: lookup api.github.com on 192.168.1.1:53: no such host';

/** GitHub, which the server asks for the latest release. */
export class Github {
  latest: PublishedRelease = {
    version: 'v0.31.0',
    hash: '9d1f4c06a3be5e0c7f28d41b60a95c3e7742f8ad',
    date: '2026-03-08',
    url: 'https://github.com/stashapp/stash/releases/download/v0.31.0/stash-linux',
  };
  /** The response time in milliseconds. */
  delay = 5;
  /** While set, every request fails with it: `OFFLINE`, or another error of Go. */
  failure: string | undefined;
  /** How often the server has asked. */
  requests = 0;

  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Returns the resolver of `latestversion`. @param hash of the server: that of the latest release is as long. */
  resolver(hash: string) {
    return async () => {
      this.requests += 1;
      await sleep(this.delay, undefined, { signal: this.#signal });
      if (this.failure !== undefined) throw new Error(`Github API request failed: ${this.failure}`);
      const { version, date, url, hash: whole } = this.latest;
      return { version, shorthash: whole.slice(0, hash.length), release_date: date, url };
    };
  }
}
