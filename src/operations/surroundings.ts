import { readFile } from 'node:fs/promises';

/** What may be around Node-RED, in one object that tests change. */
export const surroundings = {
  /** The usual port of Stash. */
  port: 9999,

  /** Returns the hosts outside of the container in which Node-RED may run. */
  async hosts(): Promise<string[]> {
    // Linux has this table. Elsewhere, Docker has the name.
    const routes = await readFile('/proc/net/route', 'utf8').catch(() => '');
    return ['host.docker.internal', ...gatewaysIn(routes)];
  },
};

/** A route that is up and leads to a gateway. */
const TO_GATEWAY = 0x3;

/** Returns the gateways of the default routes in Linux's table of routes, each once. */
export function gatewaysIn(table: string): string[] {
  const gateways = table.split('\n').flatMap((line) => {
    const [, destination, gateway = '', flags = ''] = line.split(/\s+/);
    const isDefault = destination === '00000000' && (parseInt(flags, 16) & TO_GATEWAY) === TO_GATEWAY;
    if (!isDefault || !/^[\dA-F]{8}$/i.test(gateway)) return [];
    // In the order of bytes of the machine, which is the reverse one on all that Node.js runs on today.
    return [[...Buffer.from(gateway, 'hex').reverse()].join('.')];
  });
  return [...new Set(gateways)];
}
