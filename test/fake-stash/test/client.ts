import assert from 'node:assert/strict';
import { FakeStash, type FakeStashOptions } from '../fake-stash';
import { isRecord } from '../variables';

export interface Client {
  readonly stash: FakeStash;
  readonly post: (query: string, headers?: Record<string, string>) => Promise<Response>;
  /** Returns the one field of a response without errors. */
  readonly value: (query: string, variables?: object) => Promise<unknown>;
  /** Returns the message of a response's first error. */
  readonly failure: (query: string, variables?: object) => Promise<unknown>;
}

/** Returns a function that starts a fake server and stops it after the test. */
export function servers(): (options?: FakeStashOptions) => Promise<Client> {
  let running: FakeStash[] = [];
  afterEach(async () => {
    await Promise.all(running.map((stash) => stash.stop()));
    running = [];
  });
  return async (options) => {
    const stash = await FakeStash.start({ jobSeconds: 0.02, ...options });
    running.push(stash);
    return clientOf(stash);
  };
}

function clientOf(stash: FakeStash): Client {
  const send = (body: object, headers: Record<string, string>) =>
    fetch(`${stash.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'manual',
    });
  const ask = async (query: string, variables?: object) => {
    const answer: unknown = await (await send({ query, variables }, {})).json();
    assert.ok(isRecord(answer));
    return answer;
  };
  return {
    stash,
    post: (query, headers = {}) => send({ query }, headers),
    async value(query, variables) {
      const answer = await ask(query, variables);
      assert.ok(isRecord(answer['data']) && !answer['errors'], JSON.stringify(answer));
      return Object.values(answer['data'])[0];
    },
    async failure(query, variables) {
      const { errors } = await ask(query, variables);
      assert.ok(Array.isArray(errors) && isRecord(errors[0]), JSON.stringify(errors));
      return errors[0]['message'];
    },
  };
}
