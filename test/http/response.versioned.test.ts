import assert from 'node:assert/strict';
import { type ErrorCase, StashError } from '../../src/errors';
import { Address } from '../../src/http/address';
import { connectionError } from '../../src/http/connection-error';
import { classifyResponse, type HttpResponse, readData } from '../../src/http/response';

const address = new Address('http://nas:9999');

function answer(status: number, contentType = '', text = '', location = ''): HttpResponse {
  return { status, contentType, location, text, challenge: '', cookies: [] };
}

describe('An HTTP response', () => {
  const TEXT = 'text/plain; charset=utf-8';
  const HTML = 'text/html; charset=utf-8';
  const LOGIN = '/login?returnURL=%2Fgraphql';
  const ACCESS =
    'You have attempted to access Stash over the internet, and authentication is not enabled. ' +
    'This is extremely dangerous! The whole world can see your your stash page and browse your files!';
  const EXPOSED =
    'Stash is exposed to the public internet without authentication, and is not serving any more content ' +
    'to protect your privacy.';

  const refused: [what: string, answer: HttpResponse][] = [
    ['401 without a body (up to v0.9, from v0.26 on)', answer(401)],
    ['401 of a reverse proxy, with a page', answer(401, HTML, '<h1>401</h1>')],
    ['401 in JSON', answer(401, 'application/json', '{"message":"no"}')],
    ['500 "unauthorized" (v0.11 to v0.25)', answer(500, TEXT, 'unauthorized\n')],
    ['a redirect to its sign-in page', answer(302, '', '', LOGIN)],
    ['a redirect of another kind to its sign-in page', answer(307, HTML, '', `http://nas:9999${LOGIN}`)],
  ];
  for (const [what, given] of refused) {
    it(`leads to UNAUTHORIZED.keyRefused with a key: ${what}`, () => {
      const error = classifyResponse(given, { address, auth: 'apiKey' });
      assert.equal(error?.case, 'UNAUTHORIZED.keyRefused');
      assert.equal(error.status, given.status);
      assert.equal(error.retry, false);
    });
    it(`leads to UNAUTHORIZED.keyNeeded without a key: ${what}`, () => {
      assert.equal(classifyResponse(given, { address, auth: 'none' })?.case, 'UNAUTHORIZED.keyNeeded');
    });
  }

  const others: [what: string, answer: HttpResponse, error: ErrorCase, retry: boolean][] = [
    ['403 to the first request from the internet', answer(403, TEXT, ACCESS), 'UNAUTHORIZED.exposed', false],
    ['403 to all requests after that', answer(403, TEXT, EXPOSED), 'UNAUTHORIZED.exposed', false],
    ['any other 403', answer(403, TEXT, 'Forbidden'), 'HTTP.status', false],
    ['403 with the words of the server for 500', answer(403, TEXT, 'unauthorized'), 'HTTP.status', false],
    ['any other 403, as a page', answer(403, HTML, '<h1>403</h1>'), 'HTTP.status', false],
    ['a redirect elsewhere', answer(302, '', '', 'https://auth.example/start'), 'NOT_STASH.redirect', false],
    ['a redirect to a login page elsewhere', answer(302, '', '', `//x${LOGIN}`), 'NOT_STASH.redirect', false],
    ['a redirect to nowhere', answer(302), 'NOT_STASH.notGraphQL', false],
    ['a redirect to https', answer(301, HTML, '', 'https://nas:9999/graphql'), 'NOT_STASH.redirect', false],
    ['a permanent redirect', answer(308, '', '', '/graphql/'), 'NOT_STASH.redirect', false],
    [
      'the user interface, as for any unknown path',
      answer(200, HTML, '<!DOCTYPE html>'),
      'NOT_STASH.page',
      false,
    ],
    ['text', answer(200, TEXT, 'It works!'), 'NOT_STASH.page', false],
    ['an empty body', answer(204), 'NOT_STASH.page', false],
    ['JSON that is labelled as a page', answer(200, HTML, '{"data":{}}'), 'NOT_STASH.page', false],
    ['a file of JSON lines', answer(200, 'application/jsonl', '{}'), 'NOT_STASH.page', false],
    ['404', answer(404, HTML, '<h1>404</h1>'), 'NOT_STASH.notGraphQL', false],
    ['404 in text', answer(404, TEXT, '404 page not found\n'), 'NOT_STASH.notGraphQL', false],
    ['405', answer(405, HTML, '<h1>405</h1>'), 'NOT_STASH.notGraphQL', false],
    ['410', answer(410, HTML, '<h1>410</h1>'), 'NOT_STASH.notGraphQL', false],
    ['400 in text', answer(400, TEXT, 'Bad Request'), 'HTTP.status', false],
    ['413', answer(413, HTML, '<h1>413</h1>'), 'HTTP.status', false],
    ['429', answer(429, TEXT, 'Too Many Requests'), 'HTTP.status', true],
    ['500 with another text', answer(500, TEXT, 'unauthorized user'), 'HTTP.status', true],
    ['500 "unauthorized" as a page', answer(500, HTML, 'unauthorized'), 'HTTP.status', true],
    ['500 without a body', answer(500), 'HTTP.status', true],
    ['502', answer(502, HTML, '<h1>502 Bad Gateway</h1>'), 'HTTP.status', true],
    ['502 with words about plain HTTP', answer(502, HTML, 'plain HTTP to an SSL port'), 'HTTP.status', true],
    [
      '502 with words about a client certificate',
      answer(502, HTML, 'No required SSL certificate was sent'),
      'HTTP.status',
      true,
    ],
    ['503', answer(503, HTML, '<h1>503</h1>'), 'HTTP.status', true],
    ['504', answer(504, HTML, '<h1>504</h1>'), 'HTTP.status', true],
    [
      '400 to plain HTTP on a port for TLS',
      answer(400, '', 'Client sent an HTTP request to an HTTPS server.\n'),
      'NOT_STASH.tlsExpected',
      false,
    ],
  ];
  for (const [what, given, error, retry] of others) {
    it(`leads to ${error}, with or without a key: ${what}`, () => {
      for (const auth of ['none', 'apiKey', 'session'] as const) {
        const judged = classifyResponse(given, { address, auth });
        assert.equal(judged?.case, error);
        assert.equal(judged.status, given.status);
        assert.equal(judged.retry, retry);
      }
    });
  }

  it('contains the status if nothing else is known', () => {
    assert.deepEqual(classifyResponse(answer(503), { address, auth: 'none' })?.details, { status: 503 });
  });

  const json: [what: string, answer: HttpResponse][] = [
    ['data', answer(200, 'application/json', '{"data":{}}')],
    ['data with a character set', answer(200, 'application/json; charset=utf-8', '{"data":{}}')],
    ['data in upper case', answer(200, 'Application/JSON', '{"data":{}}')],
    ['data of the newer media type', answer(200, 'application/graphql-response+json', '{"data":{}}')],
    ['an error of a resolver', answer(200, 'application/json', '{"errors":[],"data":null}')],
    ['a refused document', answer(422, 'application/json', '{"errors":[],"data":null}')],
    ['a refused document, with the newer media type', answer(400, 'application/graphql-response+json', '{}')],
    [
      'an error with the text about the public internet',
      answer(200, 'application/json', `{"message":"${EXPOSED}"}`),
    ],
  ];
  for (const [what, given] of json) {
    it(`is parsed if it is JSON: ${what}`, () => {
      assert.equal(classifyResponse(given, { address, auth: 'apiKey' }), undefined);
      assert.equal(classifyResponse(given, { address, auth: 'none' }), undefined);
    });
  }
});

/** Bodies with the content type of JSON, and their meaning in GraphQL. */
const bodies: [body: string, means: 'data' | 'errors' | 'nothing'][] = [
  ['{"data":{"a":1}}', 'data'],
  ['{"data":{"a":1},"errors":null}', 'data'],
  ['{"data":{"a":1},"errors":[]}', 'data'],
  ['{"data":{"a":1},"extensions":null}', 'data'],
  ['{"data":{"a":1},"extensions":"x","more":1}', 'data'],
  ['{"data":{"a":1},"errors":[{"message":"half"}]}', 'errors'],
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
  ['{"errors":["x"]}', 'nothing'],
  ['{"errors":[{}]}', 'nothing'],
  ['{"errors":[null]}', 'nothing'],
  ['{"errors":[{"message":1}]}', 'nothing'],
  ['{}', 'nothing'],
  ['[]', 'nothing'],
  ['[{"data":{"a":1}}]', 'nothing'],
  ['null', 'nothing'],
  ['12', 'nothing'],
  ['"text"', 'nothing'],
  ['', 'nothing'],
  ['{"data":{', 'nothing'],
  ['<!DOCTYPE html>', 'nothing'],
];

describe('A JSON response', () => {
  const statuses = [
    ...[200, 201, 206, 300, 301, 302, 303, 307, 308],
    ...[400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 413, 418, 422, 425, 429, 431, 451, 499],
    ...[500, 501, 502, 503, 504, 505, 507, 511, 520, 524, 599],
  ];

  /** Returns the code of the error and whether a retry is allowed, or undefined if the response is valid. */
  function expected(status: number, means: string): string | undefined {
    if (status === 401) return 'UNAUTHORIZED';
    if (status >= 300 && status < 400) return 'NOT_STASH';
    if (status === 429 || status >= 500) return 'HTTP, again';
    if (means === 'errors') return 'GRAPHQL';
    if ([404, 405, 410].includes(status)) return 'NOT_STASH';
    if (status >= 400) return 'HTTP';
    return means === 'data' ? undefined : 'NOT_STASH';
  }

  for (const [body, means] of bodies) {
    it(`gives the expected data or error with every status for ${body || 'nothing'}`, () => {
      for (const status of statuses) {
        const error = errorOf(answer(status, 'application/json', body));
        const code = error && (error.retry ? `${error.code}, again` : error.code);
        assert.equal(code, expected(status, means), `status ${status}`);
        if (error) assert.equal(error.status, status);
      }
    });
  }

  for (const [message, shown] of [
    ['x could not be decoded: EOF body:{"a":1}', 'x could not be decoded: EOF'],
    ['the body: could not be decoded: EOF body:{"a":1}', 'the body: could not be decoded: EOF'],
    ['x could not be decoded: EOF', 'x could not be decoded: EOF'],
    ['a scene body: none', 'a scene body: none'],
  ] as const) {
    it(`omits only the repeated request body of "${message}"`, () => {
      const error = errorOf(answer(422, 'application/json', JSON.stringify({ errors: [{ message }] })));
      assert.deepEqual(error?.details, { text: shown });
    });
  }

  it('omits a repeated request body that comes after a long reason', () => {
    const message = `${'x'.repeat(20_000)} could not be decoded: EOF body:{"details":"private"}`;
    const error = errorOf(answer(422, 'application/json', JSON.stringify({ errors: [{ message }] })));
    assert.match(String(error?.details['text']), /could not be decoded: EOF$/);
  });

  it('leads to UNAUTHORIZED.notAllowed if Stash says no more than that the user may not do it', () => {
    const refusal = (status: number, ...messages: string[]) => {
      const errors = messages.map((message) => ({ message, path: ['metadataScan'] }));
      return errorOf(answer(status, 'application/json', JSON.stringify({ errors, data: null })));
    };
    const { case: which, status, retry } = refusal(200, 'unauthorized') ?? {};
    assert.deepEqual([which, status, retry], ['UNAUTHORIZED.notAllowed', 200, false]);
    assert.equal(refusal(200, 'unauthorized', 'unauthorized')?.case, which);
    assert.equal(refusal(200, 'unauthorized', 'database is locked')?.case, 'GRAPHQL.failed');
    assert.equal(refusal(200, 'the site answered: unauthorized')?.case, 'GRAPHQL.failed');
    assert.equal(refusal(422, 'unauthorized')?.case, 'GRAPHQL.refused');
  });

  /** Returns the error that a response leads to, undefined for a response with data. */
  function errorOf(response: HttpResponse): StashError | undefined {
    try {
      const error = classifyResponse(response, { address, auth: 'none' });
      if (!error) readData(response, { redact: (text) => text });
      return error;
    } catch (error) {
      assert.ok(error instanceof StashError);
      return error;
    }
  }
});

describe('A GraphQL response with errors beside data', () => {
  const read = (status: number, data: unknown) => {
    const texts: string[] = [];
    const text = JSON.stringify({ data, errors: [{ message: 'one k3y' }, { message: 'two' }] });
    const redact = (given: string) => given.replace('k3y', '•••');
    const found = readData({ status, text }, { redact, onErrors: (all) => texts.push(...all) });
    return { found, texts };
  };

  it('is accepted by a request that takes both, with masked texts', () => {
    assert.deepEqual(read(200, { a: 1 }), { found: { a: 1 }, texts: ['one •••', 'two'] });
  });

  it('is an error if there is no data, or if the status says so', () => {
    const text = 'one •••; two';
    assert.throws(() => read(200, null), { case: 'GRAPHQL.failed', details: { text } });
    assert.throws(() => read(422, { a: 1 }), { case: 'GRAPHQL.refused', details: { text } });
  });
});

describe('A failed connection', () => {
  const codes: [code: string, error: ErrorCase, retry: boolean][] = [
    ['ECONNREFUSED', 'UNREACHABLE.refused', true],
    ['ENOTFOUND', 'UNREACHABLE.unknownHost', true],
    ['EAI_AGAIN', 'UNREACHABLE.unknownHost', true],
    ['EHOSTUNREACH', 'UNREACHABLE.noRoute', true],
    ['ENETUNREACH', 'UNREACHABLE.noRoute', true],
    ['ETIMEDOUT', 'UNREACHABLE.noRoute', true],
    ['UND_ERR_CONNECT_TIMEOUT', 'UNREACHABLE.noRoute', true],
    ['ECONNRESET', 'UNREACHABLE.lost', true],
    ['EPIPE', 'UNREACHABLE.lost', true],
    ['UND_ERR_SOCKET', 'UNREACHABLE.lost', true],
    ['HPE_INVALID_CONSTANT', 'UNREACHABLE.lost', true],
    ['EPROTO', 'TLS.protocol', false],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS.protocol', false],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'TLS.protocol', false],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'TLS.protocol', false],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'TLS.clientCertificate', false],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'TLS.clientCertificate', false],
    ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'TLS.clientCertificate', false],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'TLS.clientCertificate', false],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS.authority', false],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'TLS.authority', false],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'TLS.authority', false],
    ['UNABLE_TO_GET_ISSUER_CERT', 'TLS.authority', false],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'TLS.authority', false],
    ['CERT_HAS_EXPIRED', 'TLS.expired', false],
    ['CERT_NOT_YET_VALID', 'TLS.expired', false],
    ['CERT_REVOKED', 'TLS.certificate', false],
    ['CERT_UNTRUSTED', 'TLS.authority', false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLS.name', false],
    // Mistakes of home-made certificate authorities.
    ['INVALID_CA', 'TLS.authority', false],
    ['INVALID_PURPOSE', 'TLS.certificate', false],
  ];
  it('to this machine leads to UNREACHABLE.refusedHere, because Node-RED may run in a container', () => {
    for (const url of ['http://localhost:1', 'http://127.0.1.1:1', 'http://[::1]:1']) {
      const judged = connectionError(withCode('ECONNREFUSED'), new Address(url));
      assert.equal(judged.case, 'UNREACHABLE.refusedHere');
    }
    for (const url of ['http://nas:1', 'http://localhost.example:1', 'http://192.168.127.1:1']) {
      const judged = connectionError(withCode('ECONNREFUSED'), new Address(url));
      assert.equal(judged.case, 'UNREACHABLE.refused');
    }
  });

  for (const [code, error, retry] of codes) {
    it(`with ${code} leads to ${error}`, () => {
      const judged = connectionError(withCode(code), address);
      assert.equal(judged.case, error);
      assert.equal(judged.status, null);
      assert.equal(judged.retry, retry);
    });
  }

  it('contains the address and the error code of the system', () => {
    assert.deepEqual(
      connectionError(withCode('ECONNREFUSED'), new Address('http://nas:9999/stash')).details,
      {
        url: 'http://nas:9999/stash',
        host: 'nas:9999',
        code: 'ECONNREFUSED',
      },
    );
  });

  it('is classified by its innermost cause', () => {
    const wrapped = withCode('UND_ERR_SOCKET', { cause: withCode('CERT_HAS_EXPIRED') });
    assert.equal(connectionError(new TypeError('failed', { cause: wrapped }), address).case, 'TLS.expired');
  });

  it('is classified by the outer cause if the inner one has no code', () => {
    const wrapped = withCode('ECONNREFUSED', { cause: new Error('closed') });
    assert.equal(connectionError(wrapped, address).case, 'UNREACHABLE.refused');
  });

  it('to all addresses of a host is classified by the first one', () => {
    const both = new AggregateError([withCode('ECONNREFUSED'), withCode('ENETUNREACH')]);
    assert.equal(connectionError(both, address).case, 'UNREACHABLE.refused');
    assert.equal(connectionError(new Error('failed', { cause: both }), address).case, 'UNREACHABLE.refused');
  });

  it('for an unknown reason leads to UNREACHABLE.lost', () => {
    for (const reason of [new Error('?'), new AggregateError([]), 'text', undefined, null]) {
      assert.equal(connectionError(reason, address).case, 'UNREACHABLE.lost');
    }
    const { case: which, details } = connectionError(Object.assign(new Error('?'), { code: 42 }), address);
    assert.deepEqual([which, details['code']], ['UNREACHABLE.lost', '']);
  });
});

function withCode(code: string, options?: ErrorOptions): Error {
  return Object.assign(new Error('failed', options), { code });
}
