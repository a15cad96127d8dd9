import { anySignal, LightSignal, neverAborted, withTimeLimit } from '../async';
import type { Signal } from '../call';
import { StashError } from '../errors';
import { Address, identify, type NetworkOptions } from '../server';
import { timing } from '../timing';
import { surroundings } from './surroundings';

/** An address at which Stash has answered. */
export interface FoundServer {
  url: string;
  needsSignIn: boolean;
}

/** What the search for Stash has found. */
export interface Search {
  tried: string[];
  found: FoundServer[];
}

/** Looks for Stash at the usual addresses: on this machine, in another container, and around the container. Sends no credentials. */
export async function findStash(signal: Signal): Promise<Search> {
  const hosts = ['localhost', 'stash', ...(await surroundings.hosts())];
  const tried = hosts.map((host) => `http://${host}:${surroundings.port}`);
  return { tried, found: await answering(tried, {}, signal) };
}

/**
 * Returns the addresses at which Stash answers, in their order. Tries all at the same time, without credentials and, because
 * nothing secret is sent, without a look at certificates.
 * @param late ends the tries that have found nothing yet.
 * @throws the signal's reason once it is aborted.
 */
export async function answering(
  urls: readonly string[],
  { proxy }: NetworkOptions,
  signal: Signal,
  late: Signal = neverAborted(),
): Promise<FoundServer[]> {
  const network = { proxy, tls: { rejectUnauthorized: false } };
  const tries = urls.map(async (url): Promise<FoundServer[]> => {
    const limit = new LightSignal();
    try {
      const place = { address: new Address(url), network };
      const { access, isCertain } = await withTimeLimit(limit, timing.diagnosis.otherAddress / 1000, () =>
        identify(place, anySignal(signal, late, limit)),
      );
      return isCertain ? [{ url, needsSignIn: access !== 'open' }] : [];
    } catch (error) {
      signal.throwIfAborted();
      if (late.aborted || error instanceof StashError) return [];
      throw error;
    }
  });
  return (await Promise.all(tries)).flat();
}
