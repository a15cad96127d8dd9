import { BackPressure } from './back-pressure';
import { dispatch, type HttpRequest, type RawResponse } from './dispatch';
import type { Receive } from './receiver';
import type { Route } from './route';

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
