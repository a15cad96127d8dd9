import { BackPressure } from './back-pressure';
import { dispatch, type HttpRequest, type RawResponse } from './dispatch';
import type { Receive } from './receiver';
import type { Route } from './route';

/**
 * Sends a GET on a connection of its own, because a long response would keep others waiting in the pool. Hands the body over
 * as it arrives, no faster than the receiver takes it; reads a body that has no receiver as text.
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
