import { StashError } from '../errors';
import { isRecord } from '../guards';
import { redact } from '../redact';
import type { Address } from './address';
import { classifyResponse, type HttpResponse, readData, redirectError } from './response';
import { type NetworkOptions, openRoute } from './route';
import { send } from './send';

/** All releases answer it, also before their setup. */
const BODY = JSON.stringify({ query: '{ version { version } }' });

/** What a Stash server shows without a sign-in. */
export interface Identity {
  milliseconds: number;
  /** It answers everybody, requires a sign-in, or answers nobody since it was reached from the internet. */
  access: 'open' | 'signIn' | 'blocked';
  /** False if something else may also answer like this. */
  isCertain: boolean;
}

/**
 * Finds out whether Stash is at an address, without a sign-in, so that another program gets no credentials.
 * @param place `headers`: for a reverse proxy in front of the server.
 * @throws {StashError} NOT_STASH for anything else; UNREACHABLE or TLS for a connection that fails.
 */
export async function identify(
  place: { address: Address; network: NetworkOptions; headers?: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Identity> {
  const { address, network, headers } = place;
  const route = await openRoute(address, network);
  try {
    const request = {
      path: address.graphqlPath,
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
      signal,
      trace: { sent: false },
    };
    const start = performance.now();
    const response = await send(route, address, request, BODY, 'editor');
    return { milliseconds: performance.now() - start, ...identityIn(response, address) };
  } finally {
    await route.close();
  }
}

function identityIn(response: HttpResponse, address: Address): Omit<Identity, 'milliseconds'> {
  const { status, challenge } = response;
  // Its own sign-in page is the response of Stash to another path than that of its API (all releases).
  if (status >= 300 && status < 400) throw redirectError(response, address);
  const error = classifyResponse(response, { address, auth: 'none' });
  // Many programs answer 401, but only Stash with this challenge (all releases). A proxy may remove it.
  if (error?.case === 'UNAUTHORIZED.keyNeeded') {
    return { access: 'signIn', isCertain: /formbased/i.test(challenge) };
  }
  if (error?.case === 'UNAUTHORIZED.exposed') return { access: 'blocked', isCertain: true };
  if (error) throw error;
  if (!isRecord(versionIn(response))) throw otherGraphQL(response);
  return { access: 'open', isCertain: true };
}

function versionIn(response: HttpResponse): unknown {
  try {
    return readData(response, { redact })['version'];
  } catch (error) {
    if (error instanceof StashError && error.code === 'GRAPHQL') throw otherGraphQL(response);
    throw error;
  }
}

function otherGraphQL({ status }: HttpResponse): StashError {
  return new StashError('NOT_STASH.otherGraphQL', { status });
}
