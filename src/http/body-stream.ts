import { BackPressure } from './back-pressure';
import type { Receive } from './body';
import { dispatch, type RawResponse, type RequestHead, type RequestTrace } from './dispatch';
import { load } from './load';
import { type Route, UNLIMITED } from './route';

/**
 * Sends a GET on a connection of its own, as one that takes long would keep others waiting in the pool, and hands the body of
 * the answer over as it comes, no faster than it is taken; one that nobody wants is read as text.
 */
export async function stream(
  { origin, connect }: Route,
  asked: RequestHead,
  receive: Receive,
  signal: AbortSignal,
  exchange: RequestTrace,
): Promise<RawResponse> {
  const { Client } = await load('undici', () => import('undici'));
  const gate = new BackPressure();
  const client = new Client(origin, { ...UNLIMITED, connect: gate.before(connect) });
  try {
    return await dispatch(client, { method: 'GET', ...asked }, signal, exchange, {
      intake: { receive, gate },
    });
  } finally {
    await client.destroy();
  }
}
