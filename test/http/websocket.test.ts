import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket as NetSocket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Release } from '../fake-stash/releases';
import { FakeStash } from '../fake-stash/fake-stash';
import { otherTask } from '../fake-stash/tasks';
import { portOf } from '../support/connect';
import { StashError } from '../../src/errors';
import { openSocket, type Socket, type Subscriptions } from '../../src/http/websocket';
import { timing } from '../../src/timing';

describe('The WebSocket to a server', () => {
  const never = new AbortController().signal;
  const usual = timing.socket;
  let stash: FakeStash | undefined;
  let tcpServer: Server | undefined;
  let socket: Socket | undefined;

  const targetOf = (url: string) => ({ url: `${url.replace('http', 'ws')}/graphql`, headers: {}, tls: {} });
  const jobs = (hear: (value: unknown) => void = () => undefined): Subscriptions => ({
    jobsSubscribe: { document: 'subscription { jobsSubscribe { type job { id } } }', hear },
  });
  const open = async (release: Release = 'v0.30.1') => {
    stash = await FakeStash.start({ release, jobSeconds: 0.05 });
    return stash;
  };
  /** Listens on a port and calls `serve` with each connection. */
  const listen = async (serve: (connection: NetSocket) => void) => {
    tcpServer = createServer((connection) => {
      connection.on('error', () => undefined);
      serve(connection);
    }).listen(0, '127.0.0.1');
    await once(tcpServer, 'listening');
    return `http://127.0.0.1:${portOf(tcpServer)}`;
  };
  const refusal = async (opening: Promise<Socket>) => {
    const error: unknown = await opening.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof StashError, String(error));
    return String(error.details['code']);
  };

  afterEach(async () => {
    timing.socket = usual;
    socket?.close();
    socket = undefined;
    await stash?.stop();
    stash = undefined;
    tcpServer?.close();
    tcpServer = undefined;
  });

  it('delivers subscribed events', async () => {
    const { url, jobs: queue, sockets } = await open();
    const heard: unknown[] = [];
    socket = await openSocket(
      targetOf(url),
      jobs((value) => heard.push(value)),
      never,
    );
    while (sockets.subscribed.length === 0) await new Promise(setImmediate);
    queue.add(otherTask('Cleaning...', 'one'));
    while (heard.length < 2) await new Promise(setImmediate);
    assert.deepEqual(heard[0], { type: 'ADD', job: { id: '1' } });
    assert.equal(sockets.attempts[0]?.headers['sec-websocket-protocol'], 'graphql-transport-ws');
  });

  it('is refused by a server that speaks only the older protocol', async () => {
    const { url } = await open('v0.11.0');
    assert.match(await refusal(openSocket(targetOf(url), jobs(), never)), /subprotocol/);
  });

  it('is refused if a proxy blocks upgrades', async () => {
    const { url, sockets } = await open();
    sockets.refused = true;
    assert.match(await refusal(openSocket(targetOf(url), jobs(), never)), /200/);
  });

  it('is refused if nothing listens at the address', async () => {
    const { url } = await open();
    await stash?.stop();
    assert.match(await refusal(openSocket(targetOf(url), jobs(), never)), /ECONNREFUSED/);
  });

  it('is refused if the handshake gets no response', async () => {
    const url = await listen(() => undefined);
    timing.socket = { ping: 50, answer: 50 };
    assert.notEqual(await refusal(openSocket(targetOf(url), jobs(), never)), '');
  });

  it('is refused if the response is not HTTP', async () => {
    const url = await listen((connection) => connection.end('what?\r\n\r\n'));
    assert.notEqual(await refusal(openSocket(targetOf(url), jobs(), never)), '');
  });

  it('closes when the server stops', async () => {
    const { url } = await open();
    socket = await openSocket(targetOf(url), jobs(), never);
    await stash?.stop();
    assert.equal(await socket.closed, '1006');
  });

  it('closes if the server refuses the subscription', async () => {
    const { url } = await open();
    const wrong = { jobsSubscribe: { document: 'subscription { nothing }', hear: () => undefined } };
    socket = await openSocket(targetOf(url), wrong, never);
    assert.equal(await socket.closed, 'subscription refused');
  });

  it('closes when the server becomes silent', async () => {
    const { url, sockets } = await open();
    timing.socket = { ping: 50, answer: 100 };
    socket = await openSocket(targetOf(url), jobs(), never);
    await new Promise((resolve) => setTimeout(resolve, 300));
    sockets.freeze();
    assert.equal(await socket.closed, 'no answer');
  });

  it('can be aborted during the handshake', async () => {
    const url = await listen(() => undefined);
    const end = new AbortController();
    const opening = refusal(openSocket(targetOf(url), jobs(), end.signal));
    setTimeout(() => {
      end.abort();
    }, 50);
    assert.notEqual(await opening, '');
  });

  describe('to an unexpected peer', () => {
    let peer: WebSocketServer | undefined;
    let count: number;

    /** Acknowledges each connection, then calls `then`. */
    const startPeer = async (then: (webSocket: WebSocket) => void) => {
      count = 0;
      peer = new WebSocketServer({ port: 0, host: '127.0.0.1' });
      peer.on('connection', (webSocket) => {
        count++;
        webSocket.once('message', () => {
          webSocket.send('{"type":"connection_ack"}');
          setTimeout(then, 20, webSocket);
        });
      });
      await once(peer, 'listening');
      return `http://127.0.0.1:${(peer.address() as AddressInfo).port}`;
    };

    afterEach(() => {
      for (const webSocket of peer?.clients ?? []) webSocket.terminate();
      peer?.close();
      peer = undefined;
    });

    for (const code of [1000, 1011, 4400]) {
      it(`does not reconnect after the close code ${code}`, async () => {
        const url = await startPeer((webSocket) => {
          webSocket.close(code);
        });
        socket = await openSocket(targetOf(url), jobs(), never);
        await socket.closed;
        await new Promise((resolve) => setTimeout(resolve, 200));
        assert.equal(count, 1);
        assert.equal(peer?.clients.size, 0);
      });
    }

    it('closes after an invalid message', async () => {
      const url = await startPeer((webSocket) => {
        webSocket.send('what?');
      });
      socket = await openSocket(targetOf(url), jobs(), never);
      await socket.closed;
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.equal(peer?.clients.size, 0);
    });
  });
});
