import { once } from 'node:events';
import { createServer, type IncomingMessage, request as forward } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { portOf } from './connect';

/** A small but real forward proxy: for plain requests with absolute addresses, and for tunnels. */
export class ForwardProxy {
  /** The requests, including refused ones: `POST http://…` or `CONNECT host:port`, with their headers. */
  readonly requests: { line: string; headers: IncomingMessage['headers'] }[] = [];
  /** The required `user:password`; empty if the proxy requires none. */
  login = '';
  /** The status of a refusal; 0 if the proxy works. */
  refuse = 0;
  readonly #server = createServer();
  readonly #sockets = new Set<Duplex>();

  static async start(): Promise<ForwardProxy> {
    const proxy = new ForwardProxy();
    proxy.#server.on('request', (request, response) => {
      const status = proxy.#refusal(request);
      if (status !== 0) {
        response.writeHead(status, { 'proxy-authenticate': 'Basic' }).end('no');
        return;
      }
      const { method, headers, url = '' } = request;
      const onwards = forward(url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      onwards.on('error', () => response.writeHead(502).end());
      request.pipe(onwards);
    });
    proxy.#server.on('connect', (request, socket, head) => {
      proxy.#keep(socket);
      const status = proxy.#refusal(request);
      if (status !== 0) {
        socket.end(`HTTP/1.1 ${status} No\r\nProxy-Authenticate: Basic\r\nContent-Length: 2\r\n\r\nno`);
        return;
      }
      const [host = '', port = ''] = (request.url ?? '').split(':');
      const onwards = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        onwards.write(head);
        onwards.pipe(socket).pipe(onwards);
      });
      proxy.#keep(onwards);
    });
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get host(): string {
    return `127.0.0.1:${portOf(this.#server)}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  get lines(): string[] {
    return this.requests.map(({ line }) => line);
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  #refusal(request: IncomingMessage): number {
    const { method = '', url = '', headers } = request;
    this.requests.push({ line: `${method} ${url}`, headers });
    const login = `Basic ${Buffer.from(this.login).toString('base64')}`;
    return this.login !== '' && headers['proxy-authorization'] !== login ? 407 : this.refuse;
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
  }
}
