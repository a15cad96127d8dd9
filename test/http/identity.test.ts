import assert from 'node:assert/strict';
import { options } from '../support/connect';
import type { ServerOptions } from '../../src/server/options';
import { Server } from '../../src/server/server';

describe('The identity of a connection', () => {
  const URL = 'http://nas.example:9999';
  const identity = (changes: Partial<ServerOptions> = {}, url = URL) =>
    new Server(options(url, changes)).identity;
  // With hyphens, because random base64 may have three letters of any word.
  const key = { auth: 'apiKey', apiKey: 'k3y-of-nas' };
  const login = { auth: 'session', username: 'amy-pond', password: 's3cret-word' };

  it('is the same for all config nodes with the same address and credentials', () => {
    for (const same of [{}, key, login]) assert.equal(identity(same), identity({ ...same, timeout: 7 }));
    assert.equal(identity({}, `${URL}/graphql`), identity());
    const headers = '{"x-gate": "a", "x-door": "b"}';
    assert.equal(identity({ headers }), identity({ headers: '{"X-Door": "b", "X-Gate": "a"}' }));
  });

  it('differs for each other address or credential', () => {
    const all = [
      identity(),
      identity({}, 'http://other.example:9999'),
      identity({ headers: '{"x-gate": "a"}' }),
      identity({ headers: '{"x-gate": "b"}' }),
      identity(key),
      identity({ ...key, apiKey: 'other' }),
      identity(login),
      identity({ ...login, username: 'bob' }),
      identity({ ...login, password: 'other' }),
    ];
    assert.equal(new Set(all).size, all.length);
  });

  it('does not reveal the credentials', () => {
    assert.doesNotMatch(identity(key) + identity(login), /k3y-of-nas|amy-pond|s3cret-word/);
  });
});
