import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/**
 * Pauses a connection: `socket.read()` returns null while a receiver is busy. undici's own `pause()` would do, but in undici 7
 * an assertion ends the process if the connection closes while paused (nodejs/undici#5360, fixed in 8.4.1). undici reads all
 * data by `read`, whenever the socket is `readable`. Delete this class with the move to undici 8.
 */
export class BackPressure {
  #socket: Socket | undefined;
  #pending = 0;

  /** Returns a connector like `connect`. This object pauses its connection. */
  wrap(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) =>
      connect(options, (...result) => {
        const [, socket] = result;
        if (socket) this.#control(socket);
        callback(...result);
      });
  }

  /** The error that broke the connection. undici treats that as the end of a response without a length. */
  get error(): Error | null | undefined {
    return this.#socket?.errored;
  }

  /**
   * Lets no data through until `ready`, and all promises before it, are fulfilled.
   * @throws what `ready` throws.
   */
  async pauseUntil(ready: Promise<void>): Promise<void> {
    this.#pending += 1;
    await ready;
    this.#pending -= 1;
    if (this.#pending === 0) this.#socket?.emit('readable');
  }

  #control(socket: Socket): void {
    const read = socket.read.bind(socket);
    // A size of 0 reads no data: it only lets the socket continue to receive.
    socket.read = (size) => (size === 0 || this.#pending === 0 ? (read(size) as unknown) : null);
    this.#socket = socket;
  }
}
