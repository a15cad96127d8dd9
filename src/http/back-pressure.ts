import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/**
 * Holds back what a connection brings. undici 7 can do that, too, but ends the process when a connection closes that it
 * holds back (nodejs/undici issue 5360). All it gets it takes by `read`, whenever the socket is `readable`.
 */
export class BackPressure {
  #socket: Socket | undefined;
  /** How many are not ready yet. */
  #unready = 0;

  /** A connector whose connection leads through the gate. */
  before(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      connect(options, (...result) => {
        const [, socket] = result;
        if (socket) this.#watch(socket);
        callback(...result);
      });
    };
  }

  /** How the connection broke. undici takes that, too, for the end of an answer that tells no length. */
  get error(): Error | null | undefined {
    return this.#socket?.errored;
  }

  /** Lets nothing through until this and all before are `ready`. @throws what `ready` throws. */
  async hold(ready: Promise<void>): Promise<void> {
    this.#unready += 1;
    await ready;
    this.#unready -= 1;
    if (this.#unready === 0) this.#socket?.emit('readable');
  }

  #watch(socket: Socket): void {
    const read = socket.read.bind(socket);
    // With 0 it is only asked to go on bringing.
    socket.read = (size) => (size === 0 || this.#unready === 0 ? (read(size) as unknown) : null);
    this.#socket = socket;
  }
}
