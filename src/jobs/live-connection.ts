import { BackOff } from '../async';
import { StashError } from '../errors';
import type { Socket, Subscriptions } from '../http';
import { timing } from '../timing';

/** A WebSocket to the server on which job events and the log arrive. */
export interface Connection {
  /** Whether it has not ended. */
  isOpen: boolean;
  /** Whether the queue was polled since it opened: a job that appears later has been followed from its start on. */
  isSynced: boolean;
}

/** A connection that is open. */
export interface OpenConnection extends Connection {
  /** By `performance.now()`. */
  openedAt: number;
  close: () => void;
}

export interface LiveConnectionOptions {
  /** Opens a socket. @returns undefined where there can be none, because a proxy stands between. */
  socket: (subscriptions: Subscriptions, signal: AbortSignal) => Promise<Socket | undefined>;
  /** Makes a text of the server fit for the log. */
  redact: (text: string) => string;
  /** Takes one line about the socket. */
  log: (line: string) => void;
  /** Called as soon as a connection is open. */
  onOpen: () => void;
  /** Called when an open connection breaks, unless `close` closed it. */
  onBroken: () => void;
}

type State = { name: 'closed' | 'opening' | 'impossible' } | { name: 'open'; connection: OpenConnection };

/** The one WebSocket to a server: opened where it can be, given up, and opened again at growing intervals. */
export class LiveConnection {
  readonly #options: LiveConnectionOptions;
  readonly #backOff = new BackOff({
    first: timing.jobs.firstReconnect,
    longest: timing.jobs.longestReconnect,
  });
  #state: State = { name: 'closed' };

  constructor(options: LiveConnectionOptions) {
    this.#options = options;
  }

  /** The connection, while one is open. */
  get current(): OpenConnection | undefined {
    return this.#state.name === 'open' ? this.#state.connection : undefined;
  }

  /**
   * Opens a connection unless there is one, or it is too early to try.
   * @param subscriptions what to subscribe to on it.
   * @returns whether it did.
   * @throws the signal's reason once it is aborted.
   */
  async open(
    subscriptions: (connection: Connection) => Subscriptions,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (this.#state.name !== 'closed' || performance.now() < this.#backOff.retryAt) return false;
    const { socket: openSocket, redact, log, onOpen } = this.#options;
    const opening: Connection = { isOpen: true, isSynced: false };
    this.#state = { name: 'opening' };
    try {
      const socket = await openSocket(subscriptions(opening), signal);
      if (signal.aborted) socket?.close();
      signal.throwIfAborted();
      if (!socket) {
        this.#state = { name: 'impossible' };
        return false;
      }
      log('socket open');
      onOpen();
      const connection = Object.assign(opening, { openedAt: performance.now(), close: socket.close });
      this.#state = { name: 'open', connection };
      void socket.closed.then((reason) => {
        connection.isOpen = false;
        log(`socket closed, ${redact(reason)}`);
        this.#break(connection);
      });
      return true;
    } catch (error) {
      this.#state = { name: 'closed' };
      signal.throwIfAborted();
      this.#backOff.fail();
      const reason = error instanceof StashError ? (error.details['code'] ?? error.case) : error;
      log(`socket refused, ${redact(String(reason))}`);
      return false;
    }
  }

  /** Closes the connection without calling `onBroken`. */
  close(): void {
    const { current } = this;
    if (!current) return;
    this.#state = { name: 'closed' };
    current.close();
  }

  #break(connection: OpenConnection): void {
    if (this.current !== connection) return;
    this.#state = { name: 'closed' };
    const isShort = performance.now() - connection.openedAt < timing.jobs.shortestConnection;
    if (!isShort) this.#backOff.reset();
    // The first short one may be a server that was just restarted.
    else if (this.#backOff.failures > 0) this.#backOff.fail();
    else this.#backOff.forgive();
    this.#options.onBroken();
  }
}
