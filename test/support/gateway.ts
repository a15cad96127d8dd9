import type { FakeStash } from '../fake-stash/fake-stash';
import type { RawRequest, Reply } from './raw-server';

/** Returns the response of a fake server to a request that a reverse proxy lets pass. It passes on no WebSocket. */
export async function passOn(
  stash: FakeStash,
  { method, path, headers: given, body }: RawRequest,
): Promise<Reply> {
  const headers = Object.fromEntries(
    ['content-type', 'accept', 'apikey', 'cookie'].flatMap((name) => {
      const value = given[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  const answer = await fetch(stash.url + path, {
    method,
    headers,
    redirect: 'manual',
    ...(method === 'POST' && { body }),
  });
  const kept = ['content-type', 'location', 'www-authenticate', 'set-cookie'].flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return {
    status: answer.status,
    headers: Object.fromEntries(kept) as Record<string, string>,
    body: await answer.text(),
  };
}
