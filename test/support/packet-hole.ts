import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { until } from './waiting';

/** Listens, and then never accepts a connection. */
const LISTEN = `
const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  console.log(server.address().port);
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
});`;

/** A port of this machine that swallows all packets, as behind a firewall: the queue of connections is full. Linux only. */
export class PacketHole {
  readonly #child = spawn(process.execPath, ['-e', LISTEN], { stdio: ['ignore', 'pipe', 'inherit'] });
  readonly #sockets: Socket[] = [];
  port = 0;

  static async open(): Promise<PacketHole> {
    const hole = new PacketHole();
    const [line] = (await once(createInterface({ input: hole.#child.stdout }), 'line')) as [string];
    hole.port = Number(line);
    assert.ok(hole.port > 0);
    for (let count = 0; count < 8; count += 1) {
      hole.#sockets.push(connect(hole.port, '127.0.0.1').on('error', () => undefined));
    }
    // Linux lets in one more than it was told.
    await until(() => queued(hole.port) > 1);
    return hole;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await closed;
  }
}

/** Returns how many connections to a port wait to be accepted. */
function queued(port: number): number {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const [, address, , state, queues = ''] = line.trim().split(/\s+/);
    // The second queue of a socket that listens.
    if (address === local && state === '0A') return parseInt(queues.split(':')[1] ?? '', 16);
  }
  return 0;
}
