import assert from 'node:assert/strict';
import { options } from '../support/connect';
import type { ErrorCase } from '../../src/errors';
import type { ServerOptions } from '../../src/server/options';
import { Server } from '../../src/server/server';

describe('A server', () => {
  describe('is refused', () => {
    const url = 'http://nas:9999';
    const wrong: [what: string, changes: Partial<ServerOptions>, error: ErrorCase][] = [
      ['without an address', { url: ' ' }, 'NO_SERVER.noAddress'],
      ['at an invalid address', { url: 'ftp://nas' }, 'NO_SERVER.badAddress'],
      ['with a password in its address', { url: 'http://me:pw@nas' }, 'NO_SERVER.credentialsInAddress'],
      ['without its API key', { auth: 'apiKey' }, 'UNAUTHORIZED.keyMissing'],
      ['with an empty key', { auth: 'apiKey', apiKey: '' }, 'UNAUTHORIZED.keyMissing'],
      ['with a key of whitespace', { auth: 'apiKey', apiKey: ' \n' }, 'UNAUTHORIZED.keyMissing'],
      ['with a variable inside its key', { auth: 'apiKey', apiKey: 'a${KEY}' }, 'UNAUTHORIZED.variableInKey'],
      [
        'with a variable inside its headers',
        { headers: '{"Authorization": "Bearer ${TOKEN}"}' },
        'NO_SERVER.badHeaders',
      ],
      ['with a key of two lines', { auth: 'apiKey', apiKey: 'abc\ndef' }, 'UNAUTHORIZED.keyUnusable'],
      ['with a space in its key', { auth: 'apiKey', apiKey: 'abc def' }, 'UNAUTHORIZED.keyUnusable'],
      [
        'with a key that no header can contain',
        { auth: 'apiKey', apiKey: 'schlüssel' },
        'UNAUTHORIZED.keyUnusable',
      ],
      [
        'with a key of dots, as copied from a web page',
        { auth: 'apiKey', apiKey: '•••' },
        'UNAUTHORIZED.keyUnusable',
      ],
    ];
    for (const [what, changes, error] of wrong) {
      it(what, () => {
        assert.throws(() => new Server(options(url, changes)), { name: 'StashError', case: error });
      });
    }

    for (const property of ['pause', 'retryFor', 'timeout', 'lookupTimeout', 'backupTimeout'] as const) {
      for (const number of [NaN, -1, -0.001, Infinity, -Infinity, 2 ** 31 / 1000, 1e300]) {
        it(`with ${property} set to ${number} s`, () => {
          assert.throws(() => new Server(options(url, { [property]: number })), {
            case: 'NO_SERVER.badNumber',
            details: { property },
          });
        });
      }
    }

    for (const property of ['timeout', 'lookupTimeout', 'backupTimeout'] as const) {
      it(`with ${property} set to 0`, () => {
        assert.throws(() => new Server(options(url, { [property]: 0 })), { case: 'NO_SERVER.badNumber' });
      });
    }
  });

  it('accepts a pause of 0, fractions of seconds, and weeks', async () => {
    for (const changes of [{ pause: 0 }, { retryFor: 0 }, { timeout: 0.25 }, { backupTimeout: 2_000_000 }]) {
      await new Server(options('http://nas:9999', changes)).close();
    }
  });
});
