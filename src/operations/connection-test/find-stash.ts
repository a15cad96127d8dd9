import { access, readFile } from 'node:fs/promises';
import { neverAborted, withTimeLimit } from '../../async';
import type { FoundServer, FoundServers } from '../../contract/connection-test';
import { StashError } from '../../errors';
import { Address, identify, type NetworkOptions } from '../../server';
import { timing } from '../../timing';

/** Looks for Stash at the usual addresses: on this machine, in another container, and around the container. Sends no credentials. */
export async function findStash(signal: AbortSignal): Promise<FoundServers> {
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
  signal: AbortSignal,
  late: AbortSignal = neverAborted(),
): Promise<FoundServer[]> {
  const network = { proxy, tls: { rejectUnauthorized: false } };
  const tries = urls.map(async (url): Promise<FoundServer[]> => {
    const limit = new AbortController();
    try {
      const place = { address: new Address(url), network };
      const { access, isCertain } = await withTimeLimit(limit, timing.diagnosis.otherAddress / 1000, () =>
        identify(place, AbortSignal.any([signal, late, limit.signal])),
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

/** What may be around Node-RED, in one object that tests change. */
export const surroundings = {
  /** The usual port of Stash. */
  port: 9999,

  /** The files that Docker and Podman put into each container. */
  marks: ['/.dockerenv', '/run/.containerenv'],

  /** Returns the hosts outside of the container in which Node-RED runs; none if it runs in none. */
  async hosts(): Promise<string[]> {
    const isThere = (mark: string) =>
      access(mark).then(
        () => true,
        () => false,
      );
    // Outside of a container, the gateway is the router of the network.
    if (!(await Promise.all(this.marks.map(isThere))).includes(true)) return [];
    // Linux has this table. Elsewhere, Docker has the name.
    const routes = await readFile('/proc/net/route', 'utf8').catch(() => '');
    return ['host.docker.internal', ...gatewaysIn(routes)];
  },
};

/** A route that is up and leads to a gateway. */
const TO_GATEWAY = 0x3;

/** Returns the gateways of the default routes in Linux's table of routes, each once. */
export function gatewaysIn(table: string): string[] {
  // A container with the network of its machine, such as Home Assistant's add-on, sees the bridge there. Its gateway is the router.
  if (/^(docker|podman)0\s/m.test(table)) return [];
  const gateways = table.split('\n').flatMap((line) => {
    const [, destination, gateway = '', flags = ''] = line.split(/\s+/);
    const isDefault = destination === '00000000' && (parseInt(flags, 16) & TO_GATEWAY) === TO_GATEWAY;
    if (!isDefault || !/^[\dA-F]{8}$/i.test(gateway)) return [];
    // In the order of bytes of the machine, which is the reverse one on all that Node.js runs on today.
    return [[...Buffer.from(gateway, 'hex').reverse()].join('.')];
  });
  return [...new Set(gateways)];
}
