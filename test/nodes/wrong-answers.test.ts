import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createSilentServer } from 'node:net';
import { inspect } from 'node:util';
import { checkTable, rowsByError } from '../support/table';
import { certificate, expired } from '../support/certificate';
import { TestServer, failure, freePort, options, portOf } from '../support/connect';
import { passTimeLimit } from '../support/time-limit';
import { RawServer, GOOD, type Reply, type RawRequest } from '../support/raw-server';
import { words } from '../support/words';
import { StashError } from '../../src/errors';
import type { TlsOptions } from '../../src/http/route';

/** Secrets that no text may contain, although requests contain them and responses may repeat them. */
const SECRETS = {
  key: 'a-k3y/of+the=server',
  password: 'p4ss word&of=somebody',
  cookie: 'c00kie-of-a-session',
  gate: 'g4te-of-a-tunnel',
  value: 'Robin Vale',
};
/** The secrets that the server knows and may repeat, for requests with a key. */
const ECHO = [SECRETS.key, SECRETS.gate].join(' ');
const BODY = JSON.stringify({ query: 'query ($query: String!) { x }', variables: { query: SECRETS.value } });

/** How to send the request: by default a query with an API key. */
interface Way {
  ask?: 'scan' | 'search';
  auth?: 'none' | 'session';
  tls?: TlsOptions;
  certificate?: { key: string; cert: string };
  /** What the operation contains that gets no response. */
  unanswered?: string;
}

type Wrong = [what: string, code: string, answer: Reply | Answering | undefined, way?: Way];
type Answering = (request: RawRequest) => Reply | undefined;

const page = (status: number, body = '<!DOCTYPE html>', headers = {}): Reply => ({
  status,
  headers: { 'content-type': 'text/html', ...headers },
  body: `${body} ${ECHO}`,
});
const plain = (status: number, body: string, headers = {}): Reply => ({
  status,
  headers: { 'content-type': 'text/plain', ...headers },
  body,
});
const json = (body: string, status = 200): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body,
});
const state = (status: string): Reply =>
  json(JSON.stringify({ ...(JSON.parse(GOOD.body ?? '') as object), data: { systemStatus: { status } } }));
const toTls = plain(400, 'Client sent an HTTP request to an HTTPS server.\n');
const redirect = (location: string): Reply => page(302, 'Found', { location });
const signIn =
  (answer: Reply): Answering =>
  ({ path }) =>
    path === '/login' ? answer : { status: 401, headers: { 'www-authenticate': 'FormBased' } };
const INVALID = 'Username or password is invalid';
const SESSION = { status: 200, headers: { 'set-cookie': `session=${SECRETS.cookie}; Path=/` } };
const huge = { ...json(`{"data":{"systemStatus":"${'x'.repeat(65 * 1024 * 1024)}"}}`) };

const answers: Wrong[] = [
  [
    '401 with a key',
    'UNAUTHORIZED.keyRefused',
    { status: 401, headers: { 'www-authenticate': 'FormBased' } },
  ],
  ['401 without a key', 'UNAUTHORIZED.keyNeeded', { status: 401 }, { auth: 'none' }],
  ['500 “unauthorized” (v0.11 to v0.25)', 'UNAUTHORIZED.keyRefused', plain(500, 'unauthorized\n')],
  [
    '401 of a reverse proxy that requires Basic authentication',
    'UNAUTHORIZED.gate',
    page(401, '', { 'www-authenticate': 'Basic realm="x"' }),
  ],
  ['302 to Stash’s own sign-in page', 'UNAUTHORIZED.keyRefused', redirect('/login?returnURL=%2Fgraphql')],
  ['302 to the sign-in page of a proxy', 'NOT_STASH.redirect', redirect('https://auth.example/login?rd=x')],
  [
    '301 to another address',
    'NOT_STASH.redirect',
    page(301, '', { location: 'https://nas.example/graphql' }),
  ],
  [
    '403, because Stash was exposed to the internet',
    'UNAUTHORIZED.exposed',
    plain(403, 'You have attempted to access Stash over the internet'),
  ],
  ['403 of a proxy', 'HTTP.status', page(403)],
  ['404', 'NOT_STASH.notGraphQL', page(404)],
  ['405', 'NOT_STASH.notGraphQL', plain(405, '')],
  ['413', 'HTTP.status', page(413)],
  ['429', 'HTTP.status', page(429)],
  ['500 with a web page', 'HTTP.status', page(500)],
  ['502 to a query', 'HTTP.status', page(502)],
  ['502 to a scan', 'OUTCOME_UNKNOWN.gateway', to('metadataScan', page(502)), { ask: 'scan' }],
  ['503', 'HTTP.status', page(503)],
  ['504 to a scan', 'OUTCOME_UNKNOWN.gateway', to('metadataScan', page(504)), { ask: 'scan' }],
  ['200 with a web page', 'NOT_STASH.page', page(200)],
  ['200 with an empty body', 'NOT_STASH.page', { status: 200 }],
  ['200 with truncated JSON', 'NOT_STASH.notGraphQL', json(`{"data":{"systemStatus":"${ECHO}`)],
  ['200 with other JSON', 'NOT_STASH.notGraphQL', json(`{"status":"${ECHO}"}`)],
  ['200 with neither data nor errors', 'NOT_STASH.notGraphQL', json('{"data":null}')],
  [
    '200 without the requested field',
    'OUTCOME_UNKNOWN.form',
    to('metadataScan', json('{"data":{}}')),
    { ask: 'scan' },
  ],
  ['200 with more than 64 MiB', 'TOO_LARGE.answer', huge],
  [
    '200 with an error of Stash',
    'GRAPHQL.failed',
    json(`{"errors":[{"message":"vacuum failed: ${ECHO}"}],"data":null}`),
  ],
  [
    '200 with “unauthorized”, because the user’s role does not include it (no release yet)',
    'UNAUTHORIZED.notAllowed',
    to('metadataScan', json('{"errors":[{"message":"unauthorized","path":["metadataScan"]}],"data":null}')),
    { ask: 'scan' },
  ],
  [
    '200 with an error of the external site',
    'GRAPHQL.failed',
    to('scrape', json('{"errors":[{"message":"http error 404:Not Found"}],"data":null}')),
    { ask: 'search' },
  ],
  [
    '422 for an invalid document',
    'GRAPHQL.refused',
    json('{"errors":[{"message":"Cannot query field \\"nope\\" on type \\"Query\\"."}],"data":null}', 422),
  ],
  [
    '400 with the body of the request (since v0.27)',
    'GRAPHQL.refused',
    json(
      JSON.stringify({
        errors: [{ message: `json request body could not be decoded: EOF body:${BODY}` }],
        data: null,
      }),
      400,
    ),
  ],
  ['400, because the server expects TLS', 'NOT_STASH.tlsExpected', toTls],
  ['a server that is not set up', 'SERVER_STATE.setup', to('systemStatus', state('SETUP')), { ask: 'scan' }],
  [
    'a server that needs to migrate its database',
    'SERVER_STATE.migration',
    to('systemStatus', state('NEEDS_MIGRATION')),
    { ask: 'scan' },
  ],
  ['no response to a query', 'TIMEOUT.noAnswer', undefined, { unanswered: 'systemStatus' }],
  [
    'no response to a scan',
    'OUTCOME_UNKNOWN.noAnswer',
    to('metadataScan', undefined),
    { ask: 'scan', unanswered: 'metadataScan' },
  ],
  ['a self-signed certificate', 'TLS.authority', GOOD, { certificate }],
  ['an expired certificate', 'TLS.expired', GOOD, { certificate: expired, tls: { ca: expired.cert } }],
  [
    'a certificate for another name',
    'TLS.name',
    GOOD,
    { certificate, tls: { ca: certificate.cert, servername: 'nas.example' } },
  ],
  [
    'a server that requires a client certificate',
    'TLS.clientCertificate',
    page(400, 'No required SSL certificate was sent'),
  ],
  [
    'sign-in: 401 (since v0.29)',
    'UNAUTHORIZED.signInRefused',
    signIn(plain(401, INVALID)),
    { auth: 'session' },
  ],
  [
    'sign-in: the sign-in page again (up to v0.28)',
    'UNAUTHORIZED.signInRefused',
    signIn(page(200, INVALID)),
    { auth: 'session' },
  ],
  [
    'sign-in: accepted, but the session is rejected',
    'UNAUTHORIZED.sessionRefused',
    signIn(SESSION),
    { auth: 'session' },
  ],
  ['sign-in: another web page', 'NOT_STASH.page', signIn(page(200)), { auth: 'session' }],
  ['sign-in: 404', 'NOT_STASH.notGraphQL', signIn(page(404)), { auth: 'session' }],
];

describe('A wrong response leads to a code, a remedy and no secrets:', () => {
  const found: [response: string, code: string, text: string][] = [];
  let passwords = 0;

  for (const [what, expected, answer, way = {}] of answers) {
    it(what, async () => {
      const reply = typeof answer === 'function' ? answer : () => answer;
      const origin = await RawServer.open((request) => reply(request), way.certificate);
      try {
        const { unanswered } = way;
        const arrived = () => origin.requests.some(({ body }) => body.includes(unanswered ?? ''));
        const asked = () => ask(origin.url, way);
        const error = await (unanswered ? passTimeLimit(30, asked, arrived) : asked());
        addRow(what, expected, error, origin.host);
      } finally {
        await origin.close();
      }
    });
  }

  it('no server at the address', async () => {
    const port = await freePort();
    addRow(
      'no server at the address',
      'UNREACHABLE.refusedHere',
      await ask(`http://127.0.0.1:${port}`, {}),
      `127.0.0.1:${port}`,
    );
  });

  it('an unknown host name', async () => {
    addRow(
      'an unknown host name',
      'UNREACHABLE.unknownHost',
      await ask('http://nas.invalid:9999', {}),
      'nas.invalid:9999',
    );
  });

  for (const [what, expected, way] of [
    ['a connection that breaks during a query', 'UNREACHABLE.lost', {}],
    ['a connection that breaks during a scan', 'OUTCOME_UNKNOWN.lost', { ask: 'scan' }],
  ] as const) {
    it(what, async () => {
      const server = createSilentServer((socket) => {
        socket
          .on('error', () => undefined)
          .on('data', (data) => {
            const isCut = !('ask' in way) || String(data).includes('metadataScan');
            if (isCut) socket.destroy();
            else
              socket.end(
                `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n${GOOD.body ?? ''}`,
              );
          });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const host = `127.0.0.1:${portOf(server)}`;
      addRow(what, expected, await ask(`http://${host}`, way), host);
      server.close();
    });
  }

  it('the table in docs/wrong-answers.md lists all of them', () => {
    const head = ['error', 'code', 'what the server or proxy sent'];
    checkTable('docs/wrong-answers.md', 'wrong-answers', [head, ...rowsByError(found)]);
  });

  async function ask(url: string, { ask, auth, tls }: Way): Promise<StashError> {
    const server = new TestServer(
      options(url, {
        auth: auth ?? 'apiKey',
        apiKey: SECRETS.key,
        username: 'amy',
        // A new password each time, because a refused one is not sent again for a minute.
        password: `${SECRETS.password}${++passwords}`,
        headers: JSON.stringify({ 'X-Gate': SECRETS.gate }),
        timeout: 30,
        ...(tls && { tls }),
      }),
    );
    try {
      const requests = { scan: () => server.scan(), search: () => server.search(SECRETS.value) };
      return await failure(ask ? requests[ask]() : server.query());
    } finally {
      await server.close();
    }
  }

  function addRow(what: string, expected: string, error: StashError, host: string): void {
    assert.equal(error.case, expected);
    const [text, remedy] = ['text', 'remedy'].map((part) =>
      words('server', `errors.${error.case}.${part}`, error.details),
    );
    const message = `${text ?? ''} ${remedy ?? ''}`;
    const everything = `${message} ${inspect(error, { depth: 10, showHidden: true })}`;
    for (const [name, secret] of Object.entries(SECRETS)) {
      for (const form of [
        secret,
        encodeURIComponent(secret),
        Buffer.from(secret).toString('base64').slice(0, 12),
      ]) {
        assert.ok(!everything.includes(form), `${name} in ${everything}`);
      }
    }
    found.push([what, error.code, message.replaceAll(host, 'nas:9999')]);
  }
});

/** Gives this response to one operation, and a good response to all others. */
function to(operation: string, reply: Reply | undefined): Answering {
  return ({ body }) => (body.includes(operation) ? reply : GOOD);
}
