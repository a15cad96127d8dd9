import type { Call } from '../call';
import { hasString, parsed } from '../guards';
import { offersState, type Server, SERVER_STATE } from '../server';

/** What the Test button of stash-server's dialog shows. */
export interface Probe {
  /** The server's release, as `v0.30.1`. */
  version: string;
  /** `OK`, `SETUP` or `NEEDS_MIGRATION`; `OK` for a server that has no status. */
  status: string;
  /** The time of one request on an open connection. */
  milliseconds: number;
}

/** Requests the release and the status of a server. @throws {StashError} as `Server.request`. */
export async function probe(server: Server, call: Call): Promise<Probe> {
  const version = await fetchVersion(server, call);
  // The first request opened the connection, so the time of the second is that of the nodes' requests.
  const start = performance.now();
  const status = await fetchStatus(server, call);
  const milliseconds = Math.round(performance.now() - start);
  return { version: shortened(version), status: shortened(status), milliseconds };
}

/** Shortens text from the address to the length of a release or a status: the dialog must not be a way to read pages. */
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
