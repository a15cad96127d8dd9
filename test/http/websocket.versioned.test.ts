import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { getEventListeners, once } from 'node:events';
import { createServer as createTlsServer, type Server as HttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket as NetSocket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Release } from '../fake-stash/releases';
import { FakeStash } from '../fake-stash/fake-stash';
import { otherTask } from '../fake-stash/tasks';
import { blockEventLoop } from '../support/block';
import { certificate } from '../support/certificate';
import { portOf } from '../support/connect';
import { until } from '../support/waiting';
import { StashError } from '../../src/errors';
import { openSocket, type Socket, type Subscriptions } from '../../src/http/websocket';
import { timing } from '../../src/timing';

/** In milliseconds: longer than an answer takes, however busy the machine is. */
const ANSWER = 500;

describe('The WebSocket to a server', () => {
  const never = new AbortController().signal;
  const usual = timing.socket;
  let stash: FakeStash | undefined;
  let tcpServer: Server | undefined;
  let socket: Socket | undefined;

  const targetOf = (url: string) => ({ url: `${url.replace('http', 'ws')}/graphql`, headers: {}, tls: {} });
  const jobs = (onNext: (value: unknown) => void = () => undefined): Subscriptions => ({
    jobsSubscribe: { document: 'subscription { jobsSubscribe { type job { id } } }', onNext },
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
    assert.equal(error.case, 'UNREACHABLE.lost');
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
    const [{ headers } = assert.fail()] = sockets.attempts;
    assert.equal(headers['sec-websocket-protocol'], 'graphql-transport-ws');
    assert.equal(headers['sec-websocket-extensions'], undefined, 'it asks for no compression');
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

  it('says why it is refused at each address of a host', async () => {
    const { url } = await open();
    await stash?.stop();
    const lookup = (_host: string, _options: object, found: (error: null, all: object[]) => void) => {
      found(
        null,
        ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 })),
      );
    };
    const target = { ...targetOf(url), url: targetOf(url).url.replace('127.0.0.1', 'nas.test') };
    const several = { ...target, tls: { lookup, autoSelectFamily: true } };
    assert.match(await refusal(openSocket(several, jobs(), never)), /ECONNREFUSED/);
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
    const { signal } = new AbortController();
    socket = await openSocket(targetOf(url), jobs(), signal);
    await stash?.stop();
    assert.equal(await socket.closed, '1006');
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
  });

  it('closes if the server refuses the subscription', async () => {
    const { url } = await open();
    const wrong = { jobsSubscribe: { document: 'subscription { nothing }', onNext: () => undefined } };
    socket = await openSocket(targetOf(url), wrong, never);
    assert.equal(await socket.closed, 'subscription refused');
  });

  it('knows when the last message arrived, also a pong', async () => {
    const { url, sockets } = await open();
    timing.socket = { ping: 50, answer: ANSWER };
    socket = await openSocket(targetOf(url), jobs(), never);
    const { receivedAt, closed } = socket;
    const opened = Number(receivedAt());
    await until(() => Number(receivedAt()) > opened);
    sockets.freeze();
    await closed;
    assert.ok(Date.now() - Number(receivedAt()) >= ANSWER, 'the time of the last pong, not of the break');
  });

  it('closes when the server becomes silent, not before', async () => {
    const { url, sockets } = await open();
    timing.socket = { ping: 50, answer: ANSWER };
    socket = await openSocket(targetOf(url), jobs(), never);
    let isOpen = true;
    const closing = socket.closed.finally(() => (isOpen = false));
    await new Promise((resolve) => setTimeout(resolve, ANSWER + 200));
    assert.equal(isOpen, true);
    sockets.freeze();
    assert.equal(await closing, 'no answer');
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

  it('is not opened for a signal that is already aborted', async () => {
    const { url, sockets } = await open();
    const aborted = AbortSignal.abort(new Error('given up'));
    await assert.rejects(openSocket(targetOf(url), jobs(), aborted), { message: 'given up' });
    assert.deepEqual(sockets.attempts, []);
  });

  describe('over TLS', () => {
    let tlsServer: HttpsServer;

    beforeEach(async () => {
      tlsServer = createTlsServer(certificate).listen(0, '127.0.0.1');
      new WebSocketServer({ server: tlsServer }).on('connection', (webSocket) => {
        webSocket.once('message', () => {
          webSocket.send('{"type":"connection_ack"}');
        });
      });
      await once(tlsServer, 'listening');
    });
    afterEach(async () => {
      socket?.close();
      tlsServer.close();
      await once(tlsServer, 'close');
    });

    it('opens to a server whose CA the TLS configuration has, and to no other', async () => {
      const target = targetOf(`https://127.0.0.1:${portOf(tlsServer)}`);
      assert.match(await refusal(openSocket(target, {}, never)), /self-signed/);
      const { cert: ca } = certificate;
      socket = await openSocket({ ...target, tls: { ca } }, {}, never);
    });
  });

  describe('to a server that never closes a connection', () => {
    /** Accepts a WebSocket, acknowledges it, and answers the subscription with `last`. */
    const startPeer = async (last: string) => {
      let gone!: Promise<unknown>;
      const url = await listen((connection) => {
        gone = once(connection, 'close');
        const answers = [
          (request: string) => upgraded(/sec-websocket-key: (\S+)/i.exec(request)?.[1] ?? ''),
          () => frame('{"type":"connection_ack"}'),
          () => frame(last),
        ];
        connection.on('data', (data: Buffer) => {
          const answer = answers.shift()?.(data.toString());
          if (answer !== undefined) connection.write(answer);
        });
      });
      return { url, gone: () => gone };
    };

    it('ends the connection when it is closed', async () => {
      const { url, gone } = await startPeer('{"type":"pong"}');
      socket = await openSocket(targetOf(url), jobs(), never);
      socket.close();
      await gone();
    });

    it('ends the connection when it is aborted', async () => {
      const { url, gone } = await startPeer('{"type":"pong"}');
      const end = new AbortController();
      socket = await openSocket(targetOf(url), jobs(), end.signal);
      end.abort();
      await gone();
    });

    it('ends the connection after an invalid message', async () => {
      const { url, gone } = await startPeer('what?');
      socket = await openSocket(targetOf(url), jobs(), never);
      await gone();
    });
  });

  describe('to an unexpected peer', () => {
    let peer: WebSocketServer | undefined;
    let count: number;

    /** Acknowledges each connection, then calls `then` with the id of the subscription. */
    const startPeer = async (then: (webSocket: WebSocket, id: string) => void) => {
      count = 0;
      peer = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false });
      peer.on('connection', (webSocket) => {
        count++;
        webSocket.once('message', () => {
          webSocket.send('{"type":"connection_ack"}');
          webSocket.once('message', (data: Buffer) => {
            then(webSocket, (JSON.parse(data.toString()) as { id: string }).id);
          });
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

    it('goes on after a text that is not UTF-8, which Stash before v0.31.1 sends for the name of a file', async () => {
      const heard: unknown[] = [];
      const url = await startPeer((webSocket, id) => {
        const [before = '', after = ''] = JSON.stringify({
          id,
          type: 'next',
          payload: { data: { jobsSubscribe: 'Bad ? name.mp4' } },
        }).split('?');
        webSocket.send(Buffer.concat([Buffer.from(before), Buffer.of(0xff), Buffer.from(after)]), {
          binary: false,
        });
      });
      socket = await openSocket(
        targetOf(url),
        jobs((value) => heard.push(value)),
        never,
      );
      const closed = socket.closed.then((reason) => heard.push(reason));
      while (heard.length === 0) await new Promise(setImmediate);
      assert.deepEqual(heard, ['Bad \ufffd name.mp4']);
      socket.close();
      await closed;
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

    it('delivers undefined for an event without data, of which the listener would not know otherwise', async () => {
      const url = await startPeer((webSocket, id) => {
        for (const payload of [{ errors: [] }, { data: null }, { data: { jobsSubscribe: 1 } }]) {
          webSocket.send(JSON.stringify({ type: 'next', id, payload }));
        }
      });
      const values: unknown[] = [];
      socket = await openSocket(
        targetOf(url),
        jobs((value) => values.push(value)),
        never,
      );
      await until(() => values.length === 3);
      assert.deepEqual(values, [undefined, undefined, 1]);
    });

    it('closes after a refused subscription that the server does not complete', async () => {
      const url = await startPeer((webSocket, id) => {
        webSocket.send(JSON.stringify({ type: 'error', id, payload: [{ message: 'no' }] }));
      });
      socket = await openSocket(targetOf(url), jobs(), never);
      assert.equal(await socket.closed, 'subscription refused');
    });

    it('stays open although the peer does nothing after a ping of its own', async () => {
      timing.socket = { ping: 10_000, answer: ANSWER };
      const url = await startPeer((webSocket) => {
        webSocket.send('{"type":"ping"}');
      });
      socket = await openSocket(targetOf(url), jobs(), never);
      const open = new Promise((resolve) => setTimeout(resolve, ANSWER + 200, 'open'));
      assert.equal(await Promise.race([socket.closed, open]), 'open');
    });

    it('stays open if this process was too busy to receive pongs that came in time', async () => {
      timing.socket = { ping: 20, answer: ANSWER };
      let messages = 0;
      const url = await startPeer((webSocket) => {
        webSocket.on('message', (data: Buffer) => {
          if (!data.toString().includes('"ping"')) return;
          webSocket.send('{"type":"pong"}');
          if (messages++ === 0) blockEventLoop(2 * ANSWER);
        });
      });
      socket = await openSocket(targetOf(url), jobs(), never);
      const later = until(() => messages > 1).then(() => 'open');
      assert.equal(await Promise.race([socket.closed, later]), 'open');
    });

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

/** Returns the response that accepts a WebSocket. */
function upgraded(key: string): string {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const headers = [
    ...['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`],
    'Sec-WebSocket-Protocol: graphql-transport-ws',
  ];
  return `HTTP/1.1 101 Switching Protocols\r\n${headers.join('\r\n')}\r\n\r\n`;
}

/** Returns a short text in a frame of a WebSocket. */
function frame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]);
}
