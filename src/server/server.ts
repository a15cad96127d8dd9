import { StashError } from '../errors';
import { Address } from './address';
import { type Call, untilAborted } from './call';
import { Pace } from './pace';
import { type Shape, withText } from './shape';
import { StateGuard } from './state';
import { type Exchange, Transport } from './transport';

/** What stash-server's dialog holds. Times are in seconds, fractions allowed. */
export interface ServerOptions {
  /** What people call this server; empty: its host. */
  name?: string | undefined;
  /** The address of its start page. */
  url: string;
  /** `none` or `apiKey`. */
  auth: string;
  apiKey?: string | undefined;
  /** Between the end of one call to the external site and the start of the next. */
  pause: number;
  /** For an answer to a query, or to a mutation, with what must be asked before it. */
  timeout: number;
  /** For an answer to a look-up at the external site; waiting for a turn does not count. */
  lookupTimeout: number;
  /** For the server to make a backup. */
  backupTimeout: number;
  /** Is told of each request in one line, without values. */
  log?: (line: string) => void;
}

/**
 * What kind of thing is asked. Time limits, turns, the look at the server's state and the truth about lost answers
 * hang on it: a `lookup` is a query that makes the server call an external site, a `backup` a mutation that answers
 * only when the server has made one.
 */
export type Kind = 'query' | 'mutation' | 'lookup' | 'backup';

export interface Request<Value> {
  /** The root field that is asked. */
  operation: string;
  /** Asks for just this one field. */
  document: string;
  variables?: Readonly<Record<string, unknown>>;
  /** What the interface says of the value; another one is no answer. */
  shape: Shape<Value>;
  kind: Kind;
  call: Call;
}

/** A request without the business that it belongs to. */
type Question<Value> = Omit<Request<Value>, 'call'>;

/** The question that precedes every mutation. */
const STATE = {
  operation: 'systemStatus',
  document: '{ systemStatus { status } }',
  shape: withText('status'),
  kind: 'query',
} as const;

/** One Stash server, as all nodes that use the same config node share it. */
export class Server {
  /** What people call this server. */
  readonly name: string;
  /** The configured address, without a trailing slash. */
  readonly url: string;

  readonly #options: ServerOptions;
  readonly #address: Address;
  readonly #transport: Transport;
  readonly #pace: Pace;
  readonly #state = new StateGuard(() => this.#askState());
  readonly #inFlight = new Set<AbortController>();
  #closed = false;

  /**
   * Sends nothing.
   * @throws {StashError} NO_SERVER or UNAUTHORIZED for options with which no request can succeed.
   */
  constructor(options: ServerOptions) {
    checkTimes(options);
    this.#options = options;
    this.#address = new Address(options.url);
    this.#transport = new Transport(this.#address, apiKey(options));
    this.url = this.#address.base;
    this.name = options.name?.trim() || this.#address.host;
    this.#pace = Pace.at(this.url, '');
    this.#pace.join(this, options.pause * 1000);
  }

  /**
   * Asks the server and gives the value of the operation.
   * @throws {StashError} for everything but a value.
   */
  async request<Value>(request: Request<Value>): Promise<Value> {
    const { kind, call } = request;
    return this.#open(call.signal, async (controller) => {
      const { signal } = controller;
      const ask = () =>
        this.#limited(kind, controller, async () => {
          if (kind === 'mutation' || kind === 'backup') await untilAborted(this.#state.check(kind), signal);
          return this.#post(request, signal);
        });
      const turn = { owner: call, until: [signal, call.waiting] };
      return kind === 'lookup' ? this.#pace.run(turn, ask) : ask();
    });
  }

  /** The link to a download on the configured address; undefined if `link` is none of this server's. */
  downloadLink(link: string): string | undefined {
    return this.#address.download(link);
  }

  /** Ends everything in flight with CLOSED. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#pace.leave(this);
    for (const controller of this.#inFlight) controller.abort(new StashError('CLOSED.closed'));
    await this.#transport.close();
  }

  /** Runs `task` with a controller that is aborted when `signal` is, or when this server is closed. */
  async #open<T>(signal: AbortSignal, task: (controller: AbortController) => Promise<T>): Promise<T> {
    if (this.#closed) throw new StashError('CLOSED.closed');
    const controller = new AbortController();
    const end = () => {
      controller.abort(signal.reason);
    };
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    this.#inFlight.add(controller);
    try {
      return await task(controller);
    } finally {
      signal.removeEventListener('abort', end);
      this.#inFlight.delete(controller);
    }
  }

  /** Aborts `controller` if `task` takes longer than things of its kind may. */
  async #limited<T>(kind: Kind, controller: AbortController, task: () => Promise<T>): Promise<T> {
    const { timeout, lookupTimeout, backupTimeout } = this.#options;
    const seconds = { query: timeout, mutation: timeout, lookup: lookupTimeout, backup: backupTimeout }[kind];
    const timer = setTimeout(() => {
      controller.abort(new StashError('TIMEOUT.noAnswer', { details: { seconds }, retry: true }));
    }, seconds * 1000);
    try {
      return await task();
    } finally {
      clearTimeout(timer);
    }
  }

  async #post<Value>(request: Question<Value>, signal: AbortSignal): Promise<Value> {
    const exchange: Exchange = { sent: false };
    try {
      return await this.#send(request, signal, exchange);
    } catch (error) {
      if (!exchange.sent || !(error instanceof StashError)) throw error;
      // A kept-alive connection may break just as it is used again; only a query may be repeated without harm.
      if (request.kind === 'query' && error.case === 'UNREACHABLE.lost') {
        return this.#send(request, signal, { sent: false });
      }
      throw request.kind === 'mutation' || request.kind === 'backup' ? outcome(error) : error;
    }
  }

  /** One request, with its line in the log: what was asked and how it went, never a value. */
  async #send<Value>(request: Question<Value>, signal: AbortSignal, exchange: Exchange): Promise<Value> {
    const { operation, document, variables, shape, kind } = request;
    const start = performance.now();
    const log = (end: string) => {
      const { status = 'no answer', bytes = 0 } = exchange;
      const milliseconds = Math.round(performance.now() - start);
      this.#options.log?.(`${operation} ${this.name}: ${status}, ${milliseconds} ms, ${bytes} bytes${end}`);
    };
    try {
      const value = (await this.#transport.post({ document, variables, signal, exchange }))[operation];
      if (!shape(value)) throw new StashError('NOT_STASH.notGraphQL');
      log(kind === 'mutation' ? `, job ${String(value)}` : '');
      return value;
    } catch (error) {
      log(error instanceof StashError ? `, ${error.case}` : '');
      throw error;
    }
  }

  async #askState(): Promise<string> {
    // Shared by all that wait for it, so none of them may end it.
    return this.#open(new AbortController().signal, async (controller) =>
      this.#limited('query', controller, async () => {
        const { status } = await this.#post(STATE, controller.signal);
        return status;
      }),
    );
  }
}

/** What an error means for a mutation that was sent: whether it ran is not known unless the server said so. */
function outcome(error: StashError): StashError {
  const { details, status } = error;
  const { seconds = 0 } = details;
  if (error.code === 'UNREACHABLE') return new StashError('OUTCOME_UNKNOWN.lost');
  if (error.code === 'TIMEOUT') return new StashError('OUTCOME_UNKNOWN.noAnswer', { details: { seconds } });
  if (status === 502 || status === 504) {
    return new StashError('OUTCOME_UNKNOWN.gateway', { status, details: { status } });
  }
  // Nothing proves that it did not run.
  return error.retry ? new StashError(error.case, { status: status ?? undefined, details }) : error;
}

function apiKey({ auth, apiKey = '' }: ServerOptions): string | undefined {
  if (auth === 'none') return undefined;
  if (auth !== 'apiKey') throw new StashError('UNAUTHORIZED.unknownMethod');
  // A key that was pasted may bring blanks along.
  const key = apiKey.trim();
  if (key === '') throw new StashError('UNAUTHORIZED.keyMissing');
  if (!/^[\x21-\x7e]+$/.test(key)) throw new StashError('UNAUTHORIZED.keyUnusable');
  return key;
}

function checkTimes({ pause, timeout, lookupTimeout, backupTimeout }: ServerOptions): void {
  const longest = 2 ** 31 / 1000 - 1;
  for (const [property, seconds] of Object.entries({ pause, timeout, lookupTimeout, backupTimeout })) {
    const least = property === 'pause' ? 0 : Number.MIN_VALUE;
    if (!(seconds >= least && seconds <= longest)) {
      throw new StashError('NO_SERVER.badNumber', { details: { property } });
    }
  }
}
