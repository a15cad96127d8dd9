import type { Call } from '../server/call';
import type { Server } from '../server/server';
import { withText } from '../server/shape';

/** What the Test button of stash-server's dialog tells. */
export interface Probe {
  /** The server's release, as `v0.30.1`. */
  version: string;
  /** `OK`, `SETUP` or `NEEDS_MIGRATION`. */
  status: string;
  /** How long an answer took. */
  milliseconds: number;
}

/** Asks a server who and how it is; changes nothing. */
export async function probe(server: Server, call: Call): Promise<Probe> {
  const { version } = await server.request({
    operation: 'version',
    document: '{ version { version } }',
    shape: withText('version'),
    kind: 'query',
    call,
  });
  // The second answer comes over a connection that stands, as those of the nodes do.
  const start = performance.now();
  const { status } = await server.request({
    operation: 'systemStatus',
    document: '{ systemStatus { status } }',
    shape: withText('status'),
    kind: 'query',
    call,
  });
  return { version, status, milliseconds: Math.round(performance.now() - start) };
}
