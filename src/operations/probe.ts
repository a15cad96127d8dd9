import type { Call } from '../call';
import { hasString, parsed } from '../guards';
import { offersState, type Server, SERVER_STATE } from '../server';

/** What the Test button of stash-server's dialog tells. */
export interface Probe {
  /** The server's release, as `v0.30.1`. */
  version: string;
  /** `OK`, `SETUP` or `NEEDS_MIGRATION`. */
  status: string;
  /** How long a response took. */
  milliseconds: number;
}

/** Asks a server who and how it is; changes nothing. */
export async function probe(server: Server, call: Call): Promise<Probe> {
  const version = await fetchVersion(server, call);
  // The second answer comes over a connection that stands, as those of the nodes do.
  const start = performance.now();
  const status = await fetchStatus(server, call);
  const milliseconds = Math.round(performance.now() - start);
  return { version: shortened(version), status: shortened(status), milliseconds };
}

/** Cuts what the address said to what a release or a state may need: the dialog must not become a way to read it. */
function shortened(text: string): string {
  return text.replace(/\p{C}/gu, '').slice(0, 40);
}

async function fetchVersion(server: Server, call: Call): Promise<string> {
  return server.request({
    kind: 'query',
    call,
    build: () => ({
      rootField: 'version',
      document: '{ version { version } }',
      read: parsed(hasString('version'), ({ version }) => version),
    }),
  });
}

async function fetchStatus(server: Server, call: Call): Promise<string> {
  return server.request({
    kind: 'query',
    call,
    build: (schema) =>
      offersState(schema)
        ? SERVER_STATE
        : { rootField: 'version', document: '{ version { version } }', read: () => 'OK' },
  });
}
