import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type Answer, html, json, redirect, text, unauthorized } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { TestServer, failure, freePort, options, portOf } from '../support/connect';
import type { ErrorCase } from '../../src/errors';
import type { ServerOptions } from '../../src/server/options';

const KEY = 'a+secret/key==~';

/** Returns a response with any body, labelled as JSON. */
function body(content: string, status = 200): Answer {
  return text(status, content, 'application/json');
}

describe('A response', () => {
  let stash: FakeStash;
  const servers: TestServer[] = [];

  beforeEach(async () => {
    stash = await FakeStash.start({ apiKey: KEY });
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
    await stash.stop();
  });

  function connect(changes: Partial<ServerOptions> = {}): TestServer {
    const server = new TestServer(options(stash.url, { auth: 'apiKey', apiKey: KEY, ...changes }));
    servers.push(server);
    return server;
  }

  describe('with errors', () => {
    it('to an invalid document leads to GRAPHQL.refused, with the text of the server', async () => {
      const error = await failure(connect().query('{ allStudios { nope } }'));
      assert.equal(error.case, 'GRAPHQL.refused');
      assert.equal(error.status, 422);
      assert.equal(error.retry, false);
      assert.match(String(error.details['text']), /^Cannot query field "nope" on type "Studio"\./);
    });

    it('and status 400 leads to GRAPHQL.refused', async () => {
      stash.answerWith(
        json({ errors: [{ message: 'no' }], data: null }, 400, 'application/graphql-response+json'),
      );
      const error = await failure(connect().query());
      assert.equal(error.case, 'GRAPHQL.refused');
      assert.equal(error.status, 400);
    });

    it('to an executed document leads to GRAPHQL.failed', async () => {
      stash.site.failure = 'http error 404:Not Found';
      const error = await failure(connect().search('Robin'));
      assert.equal(error.case, 'GRAPHQL.failed');
      assert.equal(error.status, 200);
      assert.match(String(error.details['text']), /^error while name scraping .* http error 404:Not Found$/);
    });

    it('of a site that refuses requests leads to SITE_REFUSED for a look-up', async () => {
      stash.site.failure = 'http error 429:Too Many Requests';
      const error = await failure(connect().search('Robin'));
      assert.equal(error.case, 'SITE_REFUSED.refused');
      assert.equal(error.status, 200);
      assert.equal(error.retry, true);
      assert.match(String(error.details['text']), /http error 429:Too Many Requests$/);
    });

    it('and with data leads to GRAPHQL.failed, too', async () => {
      stash.answerWith(json({ data: { systemStatus: { status: 'OK' } }, errors: [{ message: 'half' }] }));
      const error = await failure(connect().query());
      assert.equal(error.case, 'GRAPHQL.failed');
      assert.deepEqual(error.details, { text: 'half' });
    });

    it('reports all errors', async () => {
      stash.answerWith(json({ errors: [{ message: 'one' }, { message: 'two' }], data: null }));
      assert.deepEqual((await failure(connect().query())).details, { text: 'one; two' });
    });

    it('succeeds if the list of errors is empty or null', async () => {
      for (const errors of [[], null]) {
        stash.answerWith(json({ data: { systemStatus: { status: 'OK' } }, errors }), { times: 1 });
        assert.deepEqual(await connect().query(), { status: 'OK' });
      }
    });

    for (const [message, shown] of [
      ['x could not be decoded: EOF body:{"a":1}', 'x could not be decoded: EOF'],
      ['the body: could not be decoded: EOF body:{"a":1}', 'the body: could not be decoded: EOF'],
      ['x could not be decoded: EOF', 'x could not be decoded: EOF'],
      ['a scene body: none', 'a scene body: none'],
    ] as const) {
      it(`omits only the repeated request body of "${message}"`, async () => {
        stash.answerWith(json({ errors: [{ message }] }, 422));
        assert.deepEqual((await failure(connect().query())).details, { text: shown });
      });
    }

    it('omits a repeated request body that comes after a long reason', async () => {
      const message = `${'x'.repeat(20_000)} could not be decoded: EOF body:{"details":"private"}`;
      stash.answerWith(json({ errors: [{ message }] }, 422));
      assert.match(String((await failure(connect().query())).details['text']), /could not be decoded: EOF$/);
    });

    const lengthy: [what: string, errors: object[]][] = [
      ['repeat the words before a request body', [{ message: ' could not be decoded: '.repeat(2 ** 18) }]],
      ['are a million errors', new Array<object>(1_000_000).fill({ message: 'no' })],
      ['are one error of 16 MiB', [{ message: `${KEY} `.repeat(2 ** 20) }]],
      ['contain only control characters', [{ message: '\u001b\n'.repeat(2 ** 22) }]],
    ];
    for (const [what, errors] of lengthy) {
      it(`is read within three seconds if they ${what}`, async () => {
        const answer = json({ errors });
        stash.answerWith(answer);
        const { promise, stalled } = stalling(failure(connect({ timeout: 60 }).query()));
        const error = await promise;
        assert.equal(error.case, 'GRAPHQL.failed');
        assert.ok(String(error.details['text']).length <= 300);
        // Careless code takes minutes. Reading such a response takes some tenths of a second on a busy machine.
        assert.ok(stalled() < 3000, `${Math.round(stalled())} ms`);
      });
    }

    it('cuts off a long text at 300 characters', async () => {
      stash.answerWith(json({ errors: [{ message: 'x'.repeat(10_000) }] }));
      assert.equal(String((await failure(connect().query())).details['text']).length, 300);
    });

    for (const [what, form] of [
      ['as it is', KEY],
      ['URL-encoded', encodeURIComponent(KEY)],
      ['in base64', Buffer.from(KEY).toString('base64')],
    ] as const) {
      it(`masks the API key that the server repeats ${what}`, async () => {
        for (const status of [200, 422]) {
          stash.answerWith(json({ errors: [{ message: `no user has "${form}"` }] }, status), { times: 1 });
          const error = await failure(connect().query());
          assert.deepEqual(error.details, { text: 'no user has "•••"' });
          assert.ok(!JSON.stringify([error, error.message, error.stack]).includes(form));
        }
      });
    }

    const strange: [what: string, errors: unknown][] = [
      ['one object', { message: 'no' }],
      ['an empty object', {}],
      ['texts', ['no']],
      ['a list of null', [null]],
      ['objects without a message', [{}]],
      ['objects with another message', [{ message: { text: 'no' } }]],
      ['a text', 'no'],
      ['null', null],
    ];
    for (const [what, errors] of strange) {
      for (const status of [200, 503]) {
        it(`that are ${what}, and status ${status}, leads to an error of this package`, async () => {
          stash.answerWith(json({ errors }, status));
          const error = await failure(connect().query());
          assert.match(error.code, status === 200 ? /^(GRAPHQL|NOT_STASH)$/ : /^(GRAPHQL|NOT_STASH|HTTP)$/);
        });
      }
    }
  });

  describe('that is not GraphQL leads to NOT_STASH:', () => {
    const answers: [what: string, answer: Answer, error: ErrorCase][] = [
      ['an empty object', body('{}'), 'NOT_STASH.notGraphQL'],
      ['an empty list', body('[]'), 'NOT_STASH.notGraphQL'],
      ['a list of responses', body('[{"data":{"systemStatus":{"status":"OK"}}}]'), 'NOT_STASH.notGraphQL'],
      ['a list of errors', body('[{"errors":[{"message":"no"}]}]'), 'NOT_STASH.notGraphQL'],
      ['null', body('null'), 'NOT_STASH.notGraphQL'],
      ['a number', body('42'), 'NOT_STASH.notGraphQL'],
      ['a string', body('"OK"'), 'NOT_STASH.notGraphQL'],
      ['an unknown object', body('{"status":"up"}'), 'NOT_STASH.notGraphQL'],
      ['null as data', body('{"data":null}'), 'NOT_STASH.notGraphQL'],
      ['a list as data', body('{"data":[]}'), 'NOT_STASH.notGraphQL'],
      ['text as data', body('{"data":"OK"}'), 'NOT_STASH.notGraphQL'],
      ['JSON that ends too early', body('{"data":{"systemStatus":'), 'NOT_STASH.notGraphQL'],
      ['an empty body', body(''), 'NOT_STASH.notGraphQL'],
      ['a page that is labelled as JSON', body('<!DOCTYPE html>'), 'NOT_STASH.notGraphQL'],
      ['a page', html(200, '<!DOCTYPE html>'), 'NOT_STASH.page'],
      ['JSON that is labelled as a page', html(200, '{"data":{}}'), 'NOT_STASH.page'],
      ['a missing page', html(404, '<h1>404</h1>'), 'NOT_STASH.notGraphQL'],
      ['a missing page, in JSON', json({ message: 'Not Found' }, 404), 'NOT_STASH.notGraphQL'],
      ['a redirect', redirect('https://auth.example/start'), 'NOT_STASH.redirect'],
      [
        'a port for TLS',
        text(400, 'Client sent an HTTP request to an HTTPS server.\n'),
        'NOT_STASH.tlsExpected',
      ],
    ];
    for (const [what, answer, error] of answers) {
      it(what, async () => {
        stash.answerWith(answer);
        assert.equal((await failure(connect().query())).case, error);
        assert.equal(stash.requests.length, 1);
      });
    }

    it("the server's own user interface, at a wrong path", async () => {
      const error = await failure(connect({ url: `${stash.url}/movies` }).query());
      assert.equal(error.case, 'NOT_STASH.page');
      assert.equal(error.status, 200);
    });
  });

  describe('with no information but a status leads to HTTP:', () => {
    for (const status of [400, 403, 429, 500, 502, 503, 504]) {
      it(`${status}, as text, as a page and in JSON`, async () => {
        for (const answer of [
          text(status, 'no'),
          html(status, '<h1>no</h1>'),
          json({ message: 'no' }, status),
        ]) {
          stash.answerWith(answer, { times: 1 });
          const error = await failure(connect().query());
          assert.equal(error.case, 'HTTP.status');
          assert.equal(error.status, status);
          assert.deepEqual(error.details, { status });
        }
      });
    }
  });

  describe('to wrong credentials leads to UNAUTHORIZED:', () => {
    it('no key', async () => {
      const error = await failure(connect({ auth: 'none' }).query());
      assert.equal(error.case, 'UNAUTHORIZED.keyNeeded');
      assert.equal(error.status, 401);
    });

    it('a wrong key', async () => {
      const error = await failure(connect({ apiKey: 'other' }).query());
      assert.equal(error.case, 'UNAUTHORIZED.keyRefused');
    });

    it('a key that an older release refuses', async () => {
      stash.answerWith(text(500, 'unauthorized\n'));
      const error = await failure(connect().query());
      assert.equal(error.case, 'UNAUTHORIZED.keyRefused');
      assert.equal(error.status, 500);
    });

    it('a key for a server that has none', async () => {
      stash.apiKey = '';
      assert.equal((await failure(connect().query())).case, 'UNAUTHORIZED.keyRefused');
    });

    it('a redirect to its sign-in page', async () => {
      stash.answerWith(redirect('/login?returnURL=%2Fgraphql'));
      assert.equal((await failure(connect({ auth: 'none' }).query())).case, 'UNAUTHORIZED.keyNeeded');
    });

    it('and the scan is not sent', async () => {
      stash.answerWith(unauthorized());
      await failure(connect().scan());
      assert.deepEqual(
        stash.requests.map(({ operation }) => operation),
        ['systemStatus'],
      );
    });
  });

  describe('that redirects', () => {
    let elsewhere: FakeStash;

    beforeEach(async () => {
      elsewhere = await FakeStash.start();
    });
    afterEach(() => elsewhere.stop());

    for (const status of [301, 302, 303, 307, 308]) {
      it(`with ${status} is not followed, and the key is sent nowhere else`, async () => {
        const location = { Location: `${elsewhere.url}/graphql` };
        stash.answerWith({ status, headers: location, body: '' }, { field: 'systemStatus' });
        stash.answerWith({ status, headers: location, body: '' }, { field: 'metadataScan' });
        const server = connect();
        for (const error of await Promise.all([server.query(), server.scan()].map(failure))) {
          assert.equal(error.case, 'NOT_STASH.redirect');
          assert.equal(error.status, status);
        }
        assert.deepEqual(elsewhere.requests, []);
      });
    }

    it('to its own sign-in page is not followed, either', async () => {
      stash.answerWith(redirect('/login?returnURL=%2Fgraphql'));
      await failure(connect().query());
      assert.equal(stash.requests.length, 1);
    });
  });

  describe('that is too large', () => {
    const tooLarge = 65 * 1024 * 1024;

    it('leads to TOO_LARGE as soon as its length is known, and is not retried', async () => {
      stash.answerWith({
        status: 200,
        headers: { 'Content-Type': 'application/json' },
        body: Buffer.alloc(tooLarge, ' '),
      });
      const error = await failure(connect().query());
      assert.equal(error.case, 'TOO_LARGE.answer');
      assert.equal(error.retry, false);
      assert.equal(stash.requests.length, 1);
    });

    it('may have 4 MiB', async () => {
      const name = 'x'.repeat(4 * 1024 * 1024);
      stash.answerWith(json({ data: { allStudios: [{ name }] } }));
      assert.deepEqual(await connect().query('{ allStudios { name } }'), [{ name }]);
    });
  });

  it('may contain any script', async () => {
    stash.answerWith(json({ data: { allStudios: [{ name: 'Señal 岡 😀' }] } }));
    assert.deepEqual(await connect().query('{ allStudios { name } }'), [{ name: 'Señal 岡 😀' }]);
  });

  it('may have the newer media type and arrive in pieces', async () => {
    stash.answerWith((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/graphql-response+json; charset=utf-8' });
      const bytes = Buffer.from(JSON.stringify({ data: { systemStatus: { status: 'Zoë' } } }));
      for (const byte of bytes) response.write(Buffer.from([byte]));
      response.end();
    });
    assert.deepEqual(await connect().query(), { status: 'Zoë' });
  });
});

describe('Without a server', () => {
  async function ask(url: string): ReturnType<typeof failure> {
    const server = new TestServer(options(url));
    const error = await failure(server.query());
    await server.close();
    return error;
  }

  it('a refused connection leads to UNREACHABLE.refusedHere', async () => {
    const port = await freePort();
    const error = await ask(`http://127.0.0.1:${port}/stash`);
    assert.equal(error.case, 'UNREACHABLE.refusedHere');
    assert.equal(error.retry, true);
    assert.equal(error.status, null);
    assert.deepEqual(error.details, {
      url: `http://127.0.0.1:${port}/stash`,
      host: `127.0.0.1:${port}`,
      code: 'ECONNREFUSED',
    });
  });

  it('a refused connection to all addresses of a host leads to UNREACHABLE.refusedHere', async () => {
    assert.equal((await ask(`http://localhost:${await freePort()}`)).case, 'UNREACHABLE.refusedHere');
  });

  it('an unknown host leads to UNREACHABLE.unknownHost', async () => {
    // No name server is needed to reject a label of more than 63 letters.
    const error = await ask(`http://${'nas'.repeat(30)}.example:9999`);
    assert.equal(error.case, 'UNREACHABLE.unknownHost');
    assert.equal(error.retry, true);
  });

  it('a protocol other than HTTP leads to UNREACHABLE.lost', async () => {
    const server = createServer((request) => {
      request.socket.end('SSH-2.0-OpenSSH_9.9\r\n');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    assert.equal((await ask(`http://127.0.0.1:${portOf(server)}`)).case, 'UNREACHABLE.lost');
    server.close();
  });

  it('a request works as soon as the server has started', async () => {
    const port = await freePort();
    const server = new TestServer(options(`http://127.0.0.1:${port}`));
    assert.equal((await failure(server.query())).case, 'UNREACHABLE.refusedHere');
    const stash = await FakeStash.start({ port });
    assert.deepEqual(await server.query(), { status: 'OK' });
    await stash.stop();
    const again = await FakeStash.start({ port });
    assert.deepEqual(await server.query(), { status: 'OK' });
    await server.close();
    await again.stop();
  });
});

/**
 * Returns the longest time for which `awaited` blocked everything else, in milliseconds of processor time, because
 * other processes also run on a busy machine.
 */
function stalling<T>(awaited: Promise<T>): { promise: Promise<T>; stalled: () => number } {
  let longest = 0;
  let last = process.cpuUsage();
  const look = () => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.cpuUsage();
  };
  const timer = setInterval(look, 5);
  const promise = awaited.finally(() => {
    clearInterval(timer);
    look();
  });
  return { promise, stalled: () => longest };
}
