import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { servers } from './client';
import { type HandshakeOptions, handshake, Listener } from './socket';

const SCAN = 'mutation { metadataScan(input: {}) }';
const credentials = { username: 'ada', password: 'pass word&more' };

describe('Fake server: WebSockets', () => {
  const start = servers();

  const invalid = 'Server sent an invalid subprotocol';
  const handshakes: [protocols: string[], newer: string | number, older: string][] = [
    [['graphql-transport-ws'], 'graphql-transport-ws', invalid],
    [['graphql-ws'], 'graphql-ws', 'graphql-ws'],
    [['graphql-transport-ws', 'graphql-ws'], 'graphql-ws', 'graphql-ws'],
    [['other'], 'Server sent no subprotocol', invalid],
    [[], '', 'Server sent a subprotocol but none was requested'],
  ];
  for (const [protocols, newer, older] of handshakes) {
    for (const release of ['v0.9.0', 'v0.11.0', 'v0.17.2', 'v0.30.1'] as const) {
      const expected = release === 'v0.9.0' || release === 'v0.11.0' ? older : newer;
      it(`choose ${expected || 'no protocol'} if the client offers ${protocols.join(' or ') || 'none'}, as ${release}`, async () => {
        const { stash } = await start({ release });
        assert.equal(await handshake(stash, { protocols }), expected);
        assert.equal(stash.sockets.attempts[0]?.accepted, true);
      });
    }
  }

  for (const [release, wrong] of [
    ['v0.9.0', 401],
    ['v0.17.2', 500],
    ['v0.30.1', 401],
  ] as const) {
    it(`open only with the key or a session, as ${release}`, async () => {
      const { stash } = await start({ release, apiKey: 'secret', credentials });
      const body = new URLSearchParams(credentials);
      const login = await fetch(`${stash.url}/login`, { method: 'POST', body, redirect: 'manual' });
      const Cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
      const protocols = [release === 'v0.9.0' ? 'graphql-ws' : 'graphql-transport-ws'];
      const tries: [HandshakeOptions, string | number | undefined][] = [
        [{}, 401],
        [{ headers: { ApiKey: 'other' } }, wrong],
        [{ headers: { ApiKey: 'secret' } }, protocols[0]],
        [{ path: '/graphql?apikey=secret' }, protocols[0]],
        [{ headers: { Cookie } }, protocols[0]],
        [{ path: '/graphql/' }, 302],
      ];
      for (const [options, expected] of tries) {
        assert.equal(await handshake(stash, { ...options, protocols }), expected);
      }
      assert.deepEqual(
        stash.sockets.attempts.map(({ accepted }) => accepted),
        [false, false, true, true, true, false],
      );
    });
  }

  it('open only at /graphql below the base path', async () => {
    const { stash } = await start({ basePath: '/stash' });
    assert.equal(await handshake(stash), 'graphql-transport-ws');
    assert.equal(await handshake(stash, { path: '/graphql/' }), 'graphql-transport-ws');
    assert.equal(await handshake(stash, { path: '/nope' }), 200);
    assert.equal(await handshake(stash, { path: '/../graphql' }), 404);
  });

  describe('messages', () => {
    const init = { type: 'connection_init' };
    const ack = { type: 'connection_ack' };
    const subscription = 'subscription { jobsSubscribe { type } }';

    it('are what a client of graphql-transport-ws expects', async () => {
      const { stash } = await start();
      const socket = await Listener.open(stash);
      socket.say(init);
      socket.say({ type: 'ping' });
      socket.say({ type: 'ping', payload: { a: 1 } });
      socket.subscribe('1', subscription);
      await socket.until(() => stash.sockets.subscribed.length === 1);
      assert.deepEqual(stash.sockets.subscribed, ['jobsSubscribe']);
      socket.say({ type: 'complete', id: '1' });
      socket.say({ type: 'complete', id: 'unknown' });
      socket.subscribe('2', '{ version { version } }');
      socket.subscribe('3', 'query ($id: ID!) { findJob(input: { id: $id }) { id } }', { id: 'abc' });
      await socket.until(() => socket.for('3').length === 2);
      assert.deepEqual(socket.messages, [
        ack,
        { type: 'pong' },
        { payload: { a: 1 }, type: 'pong' },
        { id: '1', type: 'complete' },
        { payload: { data: { version: { version: 'v0.30.1' } } }, id: '2', type: 'next' },
        { id: '2', type: 'complete' },
        {
          payload: {
            errors: [{ message: 'strconv.Atoi: parsing "abc": invalid syntax', path: ['findJob'] }],
            data: { findJob: null },
          },
          id: '3',
          type: 'next',
        },
        { id: '3', type: 'complete' },
      ]);
      assert.deepEqual(stash.sockets.subscribed, []);
    });

    it('report an invalid operation, and then that it is complete', async () => {
      const { stash } = await start();
      const socket = await Listener.open(stash);
      socket.say(init);
      socket.subscribe('1', 'subscription { nope }');
      socket.say({ type: 'subscribe', id: '2' });
      await socket.until(() => socket.messages.length === 5);
      const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' };
      const message = 'Cannot query field "nope" on type "Subscription".';
      assert.deepEqual(socket.messages.slice(1), [
        { payload: [{ message, locations: [{ line: 1, column: 16 }], extensions }], id: '1', type: 'error' },
        { id: '1', type: 'complete' },
        { payload: [{ message: 'invalid json' }], id: '2', type: 'error' },
        { id: '2', type: 'complete' },
      ]);
    });

    for (const [release, times] of [
      ['v0.25.1', 2],
      ['v0.28.1', 1],
    ] as const) {
      it(`report ${times === 2 ? 'twice' : 'once'} that an operation is complete, as ${release}`, async () => {
        const { stash } = await start({ release });
        const socket = await Listener.start(stash);
        socket.say({ type: 'complete', id: 'jobs' });
        await socket.pong();
        assert.deepEqual(socket.for('jobs'), Array(times).fill('complete'));
      });
    }

    it('do not arrive without a request', async () => {
      const { stash } = await start();
      const socket = await Listener.open(stash);
      socket.say(init);
      await sleep(150);
      assert.deepEqual(socket.messages, [ack]);
    });

    const malformed = 'Invalid WebSocket frame: invalid status code 1006';
    for (const [said, closes] of [
      [[{ type: 'subscribe', id: '1', payload: { query: subscription } }], '1002 unexpected message'],
      [[{ type: 'ping' }], '1002 unexpected message'],
      [[init, init], '1002 unexpected message'],
      [
        [init, { type: 'next', id: '1', payload: {} }],
        { 'v0.25.1': malformed, 'v0.30.1': '1000 terminated' },
      ],
      [[init, 'hello'], { 'v0.25.1': malformed, 'v0.30.1': '1000 terminated' }],
      [[init, { type: 'pong' }], { 'v0.25.1': malformed, 'v0.30.1': undefined }],
    ] as const) {
      for (const release of ['v0.25.1', 'v0.30.1'] as const) {
        const expected = typeof closes === 'string' ? closes : closes[release];
        const words = said.map((each) => (typeof each === 'string' ? each : each.type)).join(', ');
        it(`${expected ? `close with ${expected}` : 'stay open'} after "${words}", as ${release}`, async () => {
          const { stash } = await start({ release });
          const socket = await Listener.open(stash);
          for (const message of said) socket.say(message);
          if (expected === undefined) await socket.pong();
          else assert.equal(await socket.closed, expected);
        });
      }
    }
  });

  describe('faults', () => {
    it('are cut when the server is killed or crashes', async () => {
      const { stash } = await start();
      const socket = await Listener.start(stash);
      await stash.stop();
      assert.equal(await socket.closed, '1006');
      const next = await start({ port: stash.port });
      next.stash.status = 'NEEDS_MIGRATION';
      const other = await Listener.start(next.stash);
      await next.post(SCAN);
      assert.equal(await other.closed, '1006');
      assert.equal(next.stash.died, true);
    });

    for (const [release, finishes] of [
      ['v0.17.2', false],
      ['v0.30.1', true],
    ] as const) {
      const how = finishes ? 'once the running request is finished' : 'at once';
      it(`are cut when ${release} shuts down, ${how}`, async () => {
        const { stash, value } = await start({ release, backupSeconds: 0.5, jobSeconds: 0 });
        const socket = await Listener.start(stash);
        const backup = value('mutation { backupDatabase(input: { download: false }) }');
        while (stash.requests.length === 0) await sleep(2);
        const down = stash.shutDown();
        if (finishes) {
          await assert.rejects(fetch(stash.url));
          socket.subscribe('scan', SCAN);
          await socket.removed('1');
          assert.equal(await backup, null);
        } else {
          await assert.rejects(backup);
        }
        assert.equal(await socket.closed, '1006');
        await down;
      });
    }
  });
});
