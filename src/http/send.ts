import type { Address } from './address';
import { BackPressure } from './back-pressure';
import { connectionError } from './connection-error';
import { dispatch, type HttpRequest, post, type RawResponse, type Receive } from './dispatch';
import { proxyRefusal } from './proxy';
import type { HttpResponse } from './response';
import type { PoolName, Route } from './route';

/**
 * Sends one HTTP request; all requests to a server go through here.
 * @param content the body to post, or the receiver of the response.
 * @throws {StashError} UNREACHABLE or TLS for a connection that fails.
 * @throws the signal's reason once it is aborted; what the receiver throws.
 */
export async function send(
  route: Route,
  address: Address,
  { path, headers, signal, trace }: HttpRequest,
  content: string | Receive,
  pool: PoolName = 'messages',
): Promise<HttpResponse> {
  const request = { path: route.prefix + path, headers: { ...headers, ...route.headers }, signal, trace };
  let response: RawResponse;
  try {
    response = await (typeof content === 'string'
      ? post(route.pools[pool], request, content)
      : get(route, request, content));
  } catch (error) {
    if (signal.aborted) throw signal.reason as Error;
    // Once the request was sent, it is unknown whether the proxy or the server broke the connection.
    throw connectionError(error, address, trace.sent ? undefined : route.proxy);
  }
  const { status, text } = response;
  if (status === 407 && route.proxy !== undefined) {
    // The request did not get past the proxy.
    trace.sent = false;
    throw proxyRefusal(route.proxy, address, status);
  }
  const header = (name: string) => String(response.headers[name] ?? '');
  return {
    status,
    contentType: header('content-type'),
    location: header('location'),
    challenge: header('www-authenticate'),
    cookies: [response.headers['set-cookie'] ?? []].flat(),
    text,
  };
}

/**
 * Sends a GET on its own connection, because a long response would block others in the pool. Passes the body to the receiver as
 * it arrives, with back-pressure; reads it as text if there is no receiver.
 * @throws as `dispatch`.
 */
export async function get(
  { connect, openClient }: Route,
  { path, headers, signal, trace }: HttpRequest,
  receive: Receive,
): Promise<RawResponse> {
  const backPressure = new BackPressure();
  const client = openClient(backPressure.wrap(connect));
  try {
    return await dispatch(
      client,
      { method: 'GET', path, headers },
      { signal, trace, intake: { receive, backPressure } },
    );
  } finally {
    await client.destroy();
  }
}
