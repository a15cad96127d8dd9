import assert from 'node:assert/strict';
import type { ErrorCase } from '../../../src/errors';
import { Address } from '../../../src/http';
import { otherAddresses } from '../../../src/operations/connection-test/other-addresses';

const AROUND = { hosts: ['host.docker.internal', '172.17.0.1'], port: 9999 };

/** What was typed, why Stash is not there, and where it may be instead, the likeliest first. */
const CASES: [typed: string, failure: ErrorCase, expected: string[]][] = [
  [
    'http://nas:8080',
    'UNREACHABLE.refused',
    ['http://nas:9999', 'https://nas:9999', 'https://nas', 'http://nas'],
  ],
  ['nas', 'UNREACHABLE.noRoute', ['http://nas:9999', 'https://nas:9999', 'https://nas']],
  ['http://nas:9999', 'UNREACHABLE.refused', ['https://nas:9999', 'https://nas', 'http://nas']],
  ['https://nas/stash', 'UNREACHABLE.refused', ['http://nas:9999', 'https://nas:9999', 'http://nas/stash']],
  [
    'http://localhost:9999',
    'UNREACHABLE.refusedHere',
    [
      ...['http://host.docker.internal:9999', 'http://172.17.0.1:9999'],
      ...['https://localhost:9999', 'https://localhost', 'http://localhost'],
    ],
  ],
  [
    'http://127.0.0.1:8080',
    'UNREACHABLE.refusedHere',
    [
      ...['http://host.docker.internal:8080', 'http://172.17.0.1:8080'],
      ...['http://host.docker.internal:9999', 'http://172.17.0.1:9999'],
      ...['http://127.0.0.1:9999', 'https://127.0.0.1:9999', 'https://127.0.0.1', 'http://127.0.0.1'],
    ],
  ],
  ['https://nas:9999', 'TLS.protocol', ['http://nas:9999', 'http://nas:9999/stash']],
  [
    'https://nas:9999/media/stash',
    'TLS.protocol',
    ['http://nas:9999/media/stash', 'http://nas:9999/media', 'http://nas:9999', 'https://nas:9999'],
  ],
  ['http://nas:9999', 'UNREACHABLE.lost', ['https://nas:9999', 'https://nas:9999/stash']],
  ['http://nas:9999', 'NOT_STASH.tlsExpected', ['https://nas:9999', 'https://nas:9999/stash']],
  ['http://nas', 'NOT_STASH.page', ['http://nas/stash', 'http://nas:9999', 'https://nas:9999']],
  ['http://nas:9999/stash/', 'NOT_STASH.page', ['http://nas:9999', 'https://nas:9999']],
  ['http://nas/a/b', 'HTTP.status', ['http://nas/a', 'http://nas', 'http://nas:9999', 'https://nas:9999']],
  [
    'http://stash.example',
    'NOT_STASH.redirect',
    [
      ...['http://stash.example/stash', 'http://stash.example:9999', 'https://stash.example:9999'],
      'https://stash.example',
    ],
  ],
  [
    'http://[fd00::5]:8080',
    'NOT_STASH.notGraphQL',
    ['http://[fd00::5]:8080/stash', 'http://[fd00::5]:9999', 'https://[fd00::5]:9999'],
  ],
  ['http://nas:9999', 'UNREACHABLE.unknownHost', []],
  ['http://nas:9999', 'UNREACHABLE.proxy', []],
  ['https://nas', 'TLS.authority', []],
  ['http://nas', 'UNAUTHORIZED.keyRefused', []],
  ['http://nas', 'UNAUTHORIZED.gate', []],
];

describe('The other addresses to try', () => {
  for (const [typed, failure, expected] of CASES) {
    it(`for ${typed} after ${failure}`, () => {
      assert.deepEqual(otherAddresses(new Address(typed), failure, AROUND), expected);
    });
  }

  it('begin with the one to which the server redirects, if that is of the same host', () => {
    const typed = new Address('http://stash.example');
    const [first] = otherAddresses(typed, 'NOT_STASH.redirect', AROUND, 'https://stash.example/media');
    assert.equal(first, 'https://stash.example/media');
    const others = otherAddresses(typed, 'NOT_STASH.redirect', AROUND, 'https://auth.example');
    assert.deepEqual(others, otherAddresses(typed, 'NOT_STASH.redirect', AROUND));
  });

  it('are few, whatever was typed', () => {
    const long = `http://nas:9999/${'a/'.repeat(100)}`;
    assert.equal(otherAddresses(new Address(long), 'NOT_STASH.page', AROUND).length, 8);
  });
});
