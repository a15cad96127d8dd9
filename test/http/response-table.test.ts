import assert from 'node:assert/strict';
import { TestServer, options } from '../support/connect';
import { RawServer, GOOD } from '../support/raw-server';
import { StashError } from '../../src/errors';

const DATA = '{"systemStatus":{"status":"OK"},"metadataScan":"1"}';

/** Bodies with the content type of JSON, and their meaning in GraphQL. */
const bodies: [body: string, means: 'data' | 'errors' | 'nothing'][] = [
  [`{"data":${DATA}}`, 'data'],
  [`{"data":${DATA},"errors":null}`, 'data'],
  [`{"data":${DATA},"errors":[]}`, 'data'],
  [`{"data":${DATA},"extensions":null}`, 'data'],
  [`{"data":${DATA},"extensions":[1]}`, 'data'],
  [`{"data":${DATA},"extensions":"x","more":1}`, 'data'],
  [`{"data":${DATA},"errors":[{"message":"half"}]}`, 'errors'],
  ['{"data":null,"errors":[{"message":"x"}]}', 'errors'],
  ['{"data":[],"errors":[{"message":"x"}]}', 'errors'],
  ['{"data":"x","errors":[{"message":"x"}]}', 'errors'],
  ['{"errors":[{"message":""}]}', 'errors'],
  ['{"errors":[{"message":"x","path":null,"locations":"?"}],"extensions":null}', 'errors'],
  ['{"data":null}', 'nothing'],
  ['{"data":null,"errors":[]}', 'nothing'],
  ['{"data":[]}', 'nothing'],
  ['{"data":"x"}', 'nothing'],
  ['{"errors":{"message":"x"}}', 'nothing'],
  ['{"errors":"x"}', 'nothing'],
  ['{"errors":[{}]}', 'nothing'],
  ['{"errors":[null]}', 'nothing'],
  ['{"errors":[{"message":1}]}', 'nothing'],
  ['{}', 'nothing'],
  ['[]', 'nothing'],
  [`[{"data":${DATA}}]`, 'nothing'],
  ['null', 'nothing'],
  ['12', 'nothing'],
  ['"text"', 'nothing'],
  ['', 'nothing'],
  ['{"data":{', 'nothing'],
  ['<!DOCTYPE html>', 'nothing'],
];
const statuses = [
  ...[200, 201, 203, 206, 226, 300, 301, 302, 303, 305, 307, 308],
  ...[400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 413, 418, 422, 425, 429, 431, 451, 499],
  ...[500, 501, 502, 503, 504, 505, 507, 511, 520, 524, 599],
];

/** Returns the code of the error and whether a retry is allowed, or undefined if the response is valid. */
function expected(status: number, means: string, isMutation: boolean): string | undefined {
  if (status === 401) return 'UNAUTHORIZED';
  if (status >= 300 && status < 400) return 'NOT_STASH';
  if (isMutation && (status === 502 || status === 504)) return 'OUTCOME_UNKNOWN';
  if (status === 429 || status >= 500) return isMutation ? 'HTTP' : 'HTTP, again';
  if (means === 'errors') return 'GRAPHQL';
  if ([404, 405, 410].includes(status)) return 'NOT_STASH';
  if (status >= 400) return 'HTTP';
  return means === 'data' ? undefined : 'NOT_STASH';
}

describe('Every status with every body', () => {
  let origin: RawServer;
  let server: TestServer;

  beforeEach(async () => {
    origin = await RawServer.open(() => GOOD);
    server = new TestServer(options(origin.url));
  });
  afterEach(async () => {
    await server.close();
    await origin.close();
  });

  for (const [body, means] of bodies) {
    it(`gives the expected data or error for ${body || 'nothing'}`, async () => {
      for (const status of statuses) {
        for (const isMutation of [false, true]) {
          origin.answer = ({ body: document }) =>
            document.includes(isMutation ? 'metadataScan(' : 'systemStatus {')
              ? { status, headers: { 'content-type': 'application/json' }, body }
              : GOOD;
          const actual = await (isMutation ? server.scan() : server.query()).then(
            () => undefined,
            (error: unknown) => {
              assert.ok(error instanceof StashError, `${status}: ${String(error)}`);
              assert.equal(error.status, status);
              return error.retry ? `${error.code}, again` : error.code;
            },
          );
          const outcome = expected(status, means, isMutation);
          assert.equal(actual, outcome, `status ${status}, ${isMutation ? 'mutation' : 'query'}`);
        }
      }
    });
  }
});
