import { BackOff } from '../async';
import { StashError } from '../errors';
import type { BuildOperation, SendRequest } from '../graphql';
import type { Socket, Subscriptions } from '../http';
import { timing } from '../timing';
import { LogCollector } from './log-collector';

/** A WebSocket on which the server sends job events and its log. */
export interface Connection {
  /** Whether the queue was polled since it opened. A job that appears later is tracked from its start. */
  isSynced: boolean;
  /** The log that arrives on it. Another one takes its place after a gap. */
  log: LogCollector;
}

export interface OpenConnection extends Connection, Pick<Socket, 'receivedAt' | 'close'> {
  /** The time when it opened, by `performance.now()`. */
  openedAt: number;
}

/** The parts of a server that a watcher needs. */
export interface JobSource {
  url: string;
  request: SendRequest;
  /** Sends a query on which nothing depends. Never rejects. */
  attempt: (build: BuildOperation<unknown>) => Promise<void>;
  /** Opens a socket. @returns undefined behind a configured proxy, where none is possible. */
  socket: (subscriptions: Subscriptions, signal: AbortSignal) => Promise<Socket | undefined>;
  /** Removes secrets and control characters from a text of the server. */
  redact: (text: string) => string;
  /** Logs one line: a change of the socket, or a listener that failed. */
  log: (line: string) => void;
  /** Called with the reason when the server does not respond, although no request has failed. */
  onUnreachable: (reason: StashError) => void;
}

export interface LiveConnectionOptions extends Pick<JobSource, 'socket' | 'redact' | 'log'> {
  /** Called when an open connection breaks, unless `close` closed it. */
  onBroken: () => void;
}

type State = { name: 'closed' | 'opening' | 'impossible' } | { name: 'open'; connection: OpenConnection };

/** The WebSocket to a server, which reconnects at growing intervals. */
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

  /** The open connection; undefined if none is open. */
  get current(): OpenConnection | undefined {
    return this.#state.name === 'open' ? this.#state.connection : undefined;
  }

  /** When to open one again, by `performance.now()`; never while one is open, or none is possible. */
  get retryAt(): number {
    return this.#state.name === 'closed' ? this.#backOff.retryAt : Infinity;
  }

  /**
   * Opens a connection, unless one is open or it is too early for another attempt.
   * @param subscriptions the subscriptions to start on it.
   * @returns whether a connection was opened.
   * @throws the signal's reason once it is aborted.
   */
  async open(
    subscriptions: (connection: Connection) => Subscriptions,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (this.#state.name !== 'closed' || performance.now() < this.#backOff.retryAt) return false;
    const { socket: openSocket, redact, log } = this.#options;
    const opening: Connection = { isSynced: false, log: new LogCollector(redact) };
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
      const { receivedAt, close } = socket;
      const connection = Object.assign(opening, { openedAt: performance.now(), receivedAt, close });
      this.#state = { name: 'open', connection };
      void socket.closed.then((reason) => {
        connection.log.close();
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

  /** Closes the connection as if it had broken. */
  break(): void {
    this.current?.log.close();
    this.current?.close();
  }

  #break(connection: OpenConnection): void {
    if (this.current !== connection) return;
    this.#state = { name: 'closed' };
    const isShort = performance.now() - connection.openedAt < timing.jobs.shortestConnection;
    if (!isShort) this.#backOff.reset();
    // A first short connection may come from a server that just restarted.
    else if (this.#backOff.failures > 0) this.#backOff.fail();
    else this.#backOff.forgive();
    this.#options.onBroken();
  }
}
