import { Listeners, SingleFlight } from '../async';
import type { Call } from '../call';
import { fetchWhole, type Sink } from '../downloads';
import { StashError } from '../errors';
import {
  type BuildOperation,
  checkState,
  INTROSPECTION,
  type Operation,
  type OperationRequest,
  type RequestKind,
  Schema,
} from '../graphql';
import { hasString, isRecord, isString, parsed } from '../guards';
import {
  Address,
  checkNetwork,
  type CredentialOptions,
  type Download,
  formatTrace,
  identityOf,
  type LaneName,
  type NetworkOptions,
  openSocket,
  readCredentials,
  type Receive,
  type RequestTrace,
  Transport,
} from '../http';
import { Jobs, type JobStart, type WaitOptions } from '../jobs';
import { LookupQueues, type RateLimiterStore, siteRefusal } from '../lookups';
import type { JobEvent, JobRecord, StartedJob } from '../records';

/** What stash-server's dialog holds. Times are in seconds, fractions allowed. */
export interface ServerOptions extends CredentialOptions, NetworkOptions {
  /** What tells it from others at the same address, also from before a deploy: the config node's id. */
  id?: string | undefined;
  /** What people call this server; empty: its host. */
  name?: string | undefined;
  /** The address of its start page. */
  url: string;
  /** Between the end of one call to the external site and the start of the next; none for who never calls it. */
  pause?: number;
  /** How long a look-up that the external site refuses is tried again; not at all unless said. */
  retryFor?: number;
  /** How many look-ups at one external site may wait for their turn; a thousand unless said. */
  maxQueued?: number | undefined;
  /** Where the pace is kept while Node-RED is not running. */
  rateLimiterStore?: RateLimiterStore | undefined;
  /** For an answer to a query, or to a mutation, with what must be asked before it. */
  timeout: number;
  /** For an answer to a look-up at the external site; waiting for a turn does not count. */
  lookupTimeout: number;
  /** For the server to make a backup. */
  backupTimeout: number;
  /** Is told of each request in one line, without values. */
  log?: (line: string) => void;
}

/** One question to an external site, in a look-up whose turn has come. @throws {StashError} as `request`. */
export type SendThrottled = <Result>(ask: BuildOperation<Result>) => Promise<Result>;

/** The questions of a message that reach an external site. */
export interface Lookup {
  /** Of several external sites the one that is asked; empty for the built-in one. */
  source: string;
  call: Call;
}

/** Whether the server can be reached, as far as the last exchange with it told. */
export type Reachability =
  | { reachable: true; release: string; /** It was away, or another release. */ back: boolean }
  | { reachable: false };

/** The question that precedes every mutation. */
const STATE: Operation<string> = {
  rootField: 'systemStatus',
  document: '{ systemStatus { status } }',
  read: parsed(hasString('status'), ({ status }) => status),
};

/** One Stash server, as all nodes that use the same config node share it. */
export class Server {
  /** What people call this server. */
  readonly name: string;
  /** The configured address, without a trailing slash. */
  readonly url: string;
  /** How many seconds the server has to make a backup. */
  readonly backupTimeout: number;
  /** The same for whoever asks this address with the same credentials, and for nobody else. */
  readonly identity: string;

  readonly #options: ServerOptions;
  readonly #address: Address;
  readonly #transport: Transport;
  readonly #sites: LookupQueues;
  readonly #jobs: Jobs;
  readonly #asking = {
    state: new SingleFlight(() => this.#askShared((signal) => this.#post(STATE, 'query', signal))),
    schema: new SingleFlight(() => this.#askShared((signal) => this.#readSchema(signal))),
  };
  /** What the server can be asked; not known before the first message, nor after it was away. */
  protected schema: Schema | undefined;
  #reach: Reachability | undefined;
  readonly #watchers: Listeners<Reachability>;
  readonly #inFlight = new Set<AbortController>();
  readonly #askingSites = new Set<Promise<unknown>>();
  #closed = false;

  /**
   * Sends nothing.
   * @throws {StashError} NO_SERVER or UNAUTHORIZED for options with which no request can succeed.
   */
  constructor(options: ServerOptions) {
    checkTimes(options);
    checkNetwork(options);
    this.#options = options;
    this.#address = new Address(options.url);
    const access = readCredentials(options);
    this.#transport = new Transport({
      address: this.#address,
      access,
      network: options,
      timeout: options.timeout,
      log: options.log,
    });
    this.url = this.#address.base;
    this.backupTimeout = options.backupTimeout;
    this.identity = identityOf(this.url, access);
    this.name = options.name?.trim() || this.#address.host;
    this.#watchers = new Listeners((line) => options.log?.(`${this.name}: ${line}`));
    this.#jobs = new Jobs({
      url: this.url,
      id: options.id,
      request: (request) => this.#request(request),
      socket: async (subscriptions, signal) => {
        const way = await this.#transport.socketTarget();
        return way && openSocket(way, subscriptions, signal);
      },
      redact: (text) => this.redact(text),
      log: (line) => options.log?.(`jobs ${this.name}: ${line}`),
      away: () => {
        this.#lose();
      },
      maxQueued: options.maxQueued ?? MOST_WAITING,
      timeout: options.timeout * 1000,
    });
    const { pause, rateLimiterStore } = options;
    // One that never calls a site, as that of the Test button, leaves nothing behind.
    this.#sites = pause === undefined ? new LookupQueues() : LookupQueues.of(this.url);
    if (pause !== undefined) this.#sites.join(this, pause * 1000, rateLimiterStore);
  }

  /**
   * Asks the server and gives the result that the question makes of the answer.
   * @throws {StashError} for everything but an answer.
   */
  async request<Result>(request: OperationRequest<Result>): Promise<Result> {
    const result = await this.#request(request);
    // Of a job that is to stop the server tells nothing.
    if (request.kind === 'mutation') this.#jobs.requestPoll();
    return result;
  }

  /**
   * Asks for the server's state, as before each mutation: one that is not set up answers many a query as if it had nothing.
   * @throws {StashError} SERVER_STATE where it is not ready for a mutation; otherwise as `request`.
   */
  async checkReady(call: Call): Promise<void> {
    return this.#open(call.signal, async ({ signal }) => {
      const schema = this.schema ?? (await this.#asking.schema.get(signal));
      await this.#checkState(schema, 'mutation', signal);
    });
  }

  async #request<Result>({ kind: given, call, build }: OperationRequest<Result>): Promise<Result> {
    const kind = call.isOfEditor ? 'editor' : given;
    return this.#open(call.signal, (controller) =>
      this.#limited(kind, controller, () => this.#ask(kind, told(build, call), controller.signal)),
    );
  }

  /**
   * Runs `task` when its turn at the external site has come; each of the task's questions keeps the site's pace. One that
   * asks nothing costs no pause.
   * @throws {StashError} QUEUE_FULL if too many wait, SITE_REFUSED if the site does not stop refusing, CLOSED.
   * @throws the reason of the call's signals, at once. A question that was sent by then goes on to its answer, as the
   * server may go on asking the site: who is next waits for that.
   */
  async lookUp<Result>(
    { source, call }: Lookup,
    task: (ask: SendThrottled) => Promise<Result>,
  ): Promise<Result> {
    const { retryFor = 0, maxQueued = MOST_WAITING } = this.#options;
    return this.#open(call.signal, ({ signal }) => {
      const lookUp = {
        call: { signal, waiting: call.waiting, onTurn: call.onTurn?.bind(call) },
        retryFor: retryFor * 1000,
        maxQueued,
      };
      return this.#sites
        .at(source)
        .lookUp(lookUp, (step) => task((ask) => step(() => this.#askSite(told(ask, call), signal))));
    });
  }

  /**
   * Starts a job. If the answer is lost, but exactly one job has appeared that can be meant, it is taken to be that.
   * @throws {StashError} as `request`; QUEUE_FULL if too many wait.
   */
  async startJob(start: JobStart): Promise<StartedJob> {
    return this.#open(start.call.signal, ({ signal }) => this.#jobs.start(within(start, signal)));
  }

  /**
   * Starts a job and waits for its end, of which `call.onJob` is told. However it ends is a record.
   * @throws {StashError} as `startJob`; TIMEOUT once the limit has passed, and what makes that the server cannot be asked.
   * @throws the reason of the call's signals, once one is aborted; the job goes on.
   */
  async runJob(start: JobStart, patience: WaitOptions): Promise<JobRecord> {
    return this.#open(start.call.signal, ({ signal }) => this.#jobs.run(within(start, signal), patience));
  }

  /** Tells `listener` of all jobs from now on, whoever starts them. @returns what ends it. */
  followJobs(listener: (event: JobEvent) => void): () => void {
    return this.#jobs.follow(listener);
  }

  /** The jobs that wait or run now. @throws {StashError} as `request`; UNSUPPORTED where that cannot be asked. */
  async jobQueue(call: Call): Promise<JobRecord[]> {
    return this.#jobs.queue(call);
  }

  /**
   * Tells `watcher` whether the server can be reached: at once where that is known, and each time it changes.
   * @returns what ends it.
   */
  onReachability(watcher: (reach: Reachability) => void): () => void {
    if (this.#reach) watcher(this.#reach);
    return this.#watchers.add(watcher);
  }

  /** A text of the server, fit for an error, a status or a log. */
  redact(text: string): string {
    return this.#transport.redact(text);
  }

  /** The name that the server gave what `link` leads to. @throws {StashError} BACKUP_INVALID if it is no link. */
  downloadName(link: string): string {
    return this.#transport.redact(this.#found(link).name);
  }

  /**
   * Fetches what `link` leads to, from the configured address alone, and tells `call.onDownload` how far it is.
   * @returns how many bytes there were.
   * @throws {StashError} as `request`; BACKUP_INVALID where it is not, or no longer, to be had; what the sink throws.
   * @throws the reason of the call's signal, once the sink is ready.
   */
  async download({ link, call, sink }: { link: string; call: Call; sink: Sink }): Promise<number> {
    const { path } = this.#found(link);
    return this.#open(call.signal, async ({ signal }) => {
      const get = async (offset: number, receive: Receive, signal: AbortSignal) => {
        const start = performance.now();
        const exchange: RequestTrace = { sent: false };
        try {
          await this.#transport.get({ path, offset, receive, signal, exchange });
          this.#log('download', exchange, start);
        } catch (error) {
          this.#log('download', exchange, start, caseOf(error));
          throw error;
        }
      };
      const within = { signal, waiting: call.waiting, onDownload: call.onDownload?.bind(call) };
      return fetchWhole(this.url, get, sink, within).catch((error: unknown) => {
        this.#tellAway(error);
        throw error;
      });
    });
  }

  #found(link: string): Download {
    const found = this.#address.download(link);
    if (!found) throw new StashError('BACKUP_INVALID.noLink');
    return found;
  }

  /**
   * Ends everything in flight with CLOSED. The connection on which an external site is being asked stays open until that
   * is answered, but nobody waits for it.
   */
  async close(): Promise<void> {
    this.#closed = true;
    this.#sites.leave(this);
    this.#jobs.close();
    for (const controller of this.#inFlight) controller.abort(new StashError('CLOSED.closed'));
    const closing = Promise.allSettled(this.#askingSites).then(() => this.#transport.close());
    if (this.#askingSites.size === 0) await closing;
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
  async #limited<T>(kind: RequestKind, controller: AbortController, task: () => Promise<T>): Promise<T> {
    const { timeout, lookupTimeout, backupTimeout } = this.#options;
    const seconds = {
      query: timeout,
      mutation: timeout,
      lookup: lookupTimeout,
      backup: backupTimeout,
      editor: EDITOR_SECONDS,
    }[kind];
    const timer = setTimeout(() => {
      controller.abort(new StashError('TIMEOUT.noAnswer', { details: { seconds }, retry: true }));
    }, seconds * 1000);
    try {
      return await task();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Once the question is sent, nothing but its time limit ends it. */
  async #askSite<Result>(ask: BuildOperation<Result>, signal: AbortSignal): Promise<Result> {
    const controller = new AbortController();
    const exchange: RequestTrace = { sent: false };
    const put: BuildOperation<Result> = (schema) => {
      signal.throwIfAborted();
      return ask(schema);
    };
    const end = () => {
      if (!exchange.sent) controller.abort(signal.reason);
    };
    signal.addEventListener('abort', end, { once: true });
    const asking = this.#limited('lookup', controller, () =>
      this.#ask('lookup', put, controller.signal, exchange),
    ).finally(() => {
      signal.removeEventListener('abort', end);
      this.#askingSites.delete(asking);
    });
    this.#askingSites.add(asking);
    return asking;
  }

  /**
   * Puts the question as the schema has it. A server may have been upgraded since its schema was read: what it lacks
   * or refuses then is looked at once more with the schema of now (which proves that nothing ran).
   */
  async #ask<Result>(
    kind: RequestKind,
    ask: BuildOperation<Result>,
    signal: AbortSignal,
    exchange: RequestTrace = { sent: false },
  ): Promise<Result> {
    // One that cannot tell its state may by now be one that must be asked for it.
    const known = changes(kind) && !tellsState(this.schema) ? undefined : this.schema;
    const schema = known ?? (await this.#asking.schema.get(signal));
    /** Not before the server's state was asked, which an older server does not know either. */
    let sent: Operation<Result> | undefined;
    try {
      const question = ask(schema);
      await this.#checkState(schema, kind, signal);
      sent = question;
      return await this.#post(question, kind, signal, exchange);
    } catch (error) {
      if (known === undefined || !isOutdated(error)) throw error;
      if (this.schema === known) this.schema = undefined;
      const renewed = this.schema ?? (await this.#asking.schema.get(signal));
      const again = ask(renewed);
      if (isSame(sent, again)) throw error;
      await this.#checkState(renewed, kind, signal);
      exchange.sent = false;
      return this.#post(again, kind, signal, exchange);
    }
  }

  /** Before v0.7.0 a server that answers is ready. */
  async #checkState(schema: Schema, kind: RequestKind, signal: AbortSignal): Promise<void> {
    if (changes(kind) && tellsState(schema)) checkState(await this.#asking.state.get(signal), kind);
  }

  async #post<Result>(
    question: Operation<Result>,
    kind: RequestKind,
    signal: AbortSignal,
    exchange: RequestTrace = { sent: false },
  ): Promise<Result> {
    try {
      return await this.#send(question, kind, signal, exchange);
    } catch (error) {
      if (!(error instanceof StashError)) throw error;
      if (exchange.sent && (kind === 'query' || kind === 'editor') && error.case === 'UNREACHABLE.lost') {
        // A kept-alive connection may break just as it is used again, perhaps because the server was restarted; only a
        // query may be repeated without harm.
        this.schema = undefined;
        return await this.#send(question, kind, signal, { sent: false }).catch((again: unknown) => {
          this.#tellAway(again);
          throw again;
        });
      }
      this.#tellAway(error);
      const refusal = (await this.#refusalOfState(error, question, kind, signal)) ?? error;
      throw exchange.sent && changes(kind) ? outcome(refusal) : refusal;
    }
  }

  /**
   * What an error comes of in a server that is not set up or waits for its migration: those answer many questions with an
   * error of their own that tells nothing ("nil pointer dereference", "scraper not found", all releases since v0.7).
   * @returns undefined where it comes of something else, or the state cannot be told soon.
   */
  async #refusalOfState(
    error: StashError,
    { rootField }: Operation<unknown>,
    kind: RequestKind,
    signal: AbortSignal,
  ): Promise<StashError | undefined> {
    if (error.case !== 'GRAPHQL.failed' || rootField === STATE.rootField || !tellsState(this.schema)) return;
    const soon = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_STATE_MILLISECONDS)]);
    try {
      checkState(await this.#asking.state.get(soon), kind === 'backup' ? kind : 'mutation');
    } catch (reason) {
      if (reason instanceof StashError && reason.code === 'SERVER_STATE') return reason;
    }
    return undefined;
  }

  /** One request, with its line in the log: what was asked and how it went, never a value but a job's id. */
  async #send<Result>(
    question: Operation<Result>,
    kind: RequestKind,
    signal: AbortSignal,
    exchange: RequestTrace,
  ): Promise<Result> {
    const { rootField, document, variables, isWhole, read } = question;
    const start = performance.now();
    try {
      const data = await this.#transport.post({ document, variables, lane: laneOf(kind), signal, exchange });
      const result = read(isWhole ? data : data[rootField]);
      const job = kind === 'mutation' && isString(result) ? `, job ${this.redact(result)}` : '';
      this.#log(rootField, exchange, start, job);
      return result;
    } catch (thrown) {
      const error = kind === 'lookup' ? siteRefusal(thrown) : thrown;
      this.#log(rootField, exchange, start, caseOf(error));
      throw error;
    }
  }

  #log(what: string, exchange: RequestTrace, start: number, end = ''): void {
    this.#options.log?.(`${what} ${this.name}: ${formatTrace(exchange, start)}${end}`);
  }

  /** A question shared by all that wait for its answer, so none of them may end it. */
  async #askShared<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#open(new AbortController().signal, async (controller) =>
      this.#limited('query', controller, () => ask(controller.signal)),
    );
  }

  async #readSchema(signal: AbortSignal): Promise<Schema> {
    const question: Operation<Schema> = {
      rootField: 'introspection',
      document: INTROSPECTION,
      isWhole: true,
      read: parsed(isRecord, (data) => Schema.read(data, (text) => this.redact(text))),
    };
    const schema = await this.#post(question, 'query', signal).catch((error: unknown) => {
      if (error instanceof StashError && tellsNoSchema(error)) return Schema.documented();
      throw error;
    });
    this.schema = schema;
    const { release } = schema;
    const known = this.#reach;
    if (!known?.reachable || known.release !== release) {
      this.#tell({ reachable: true, release, back: known !== undefined });
    }
    return schema;
  }

  /** With its schema, which is read anew when it comes back, goes what was told of it. */
  #tellAway(error: unknown): void {
    if (error instanceof StashError && isAway(error)) this.#lose();
  }

  #lose(): void {
    this.schema = undefined;
    if (this.#reach?.reachable !== false) this.#tell({ reachable: false });
  }

  #tell(reach: Reachability): void {
    this.#reach = reach;
    this.#watchers.tell(reach);
  }
}

const MOST_WAITING = 1000;
/** How long an error is held back for the server's state, which may tell more. */
const LONGEST_STATE_MILLISECONDS = 3000;
/** For somebody who looks at a dialog. */
const EDITOR_SECONDS = 10;

/** The same, ended by this signal. */
function within(start: JobStart, signal: AbortSignal): JobStart {
  const { call } = start;
  const { waiting } = call;
  return {
    ...start,
    call: {
      signal,
      waiting,
      onOperation: call.onOperation?.bind(call),
      onTurn: call.onTurn?.bind(call),
      onJob: call.onJob?.bind(call),
    },
  };
}

/** The same, which tells the call what is asked. */
function told<Result>(ask: BuildOperation<Result>, call: Call): BuildOperation<Result> {
  return (schema) => {
    const question = ask(schema);
    call.onOperation?.(question.rootField);
    return question;
  };
}

/** What went wrong, as a line in the log ends. */
function caseOf(error: unknown): string {
  return error instanceof StashError ? `, ${error.case}` : '';
}

function changes(kind: RequestKind): kind is 'mutation' | 'backup' {
  return kind === 'mutation' || kind === 'backup';
}

/** Whose connections it takes. */
function laneOf(kind: RequestKind): LaneName {
  if (kind === 'editor') return kind;
  return kind === 'backup' ? 'backups' : 'messages';
}

function tellsState(schema: Schema | undefined): boolean {
  return schema?.has('Query', 'systemStatus') ?? false;
}

/** Whether an error may come of a schema that is no longer the server's. */
function isOutdated(error: unknown): boolean {
  return error instanceof StashError && (error.code === 'UNSUPPORTED' || error.case === 'GRAPHQL.refused');
}

function isSame(one: Operation<unknown> | undefined, other: Operation<unknown>): boolean {
  const { document, variables } = other;
  return one?.document === document && JSON.stringify(one.variables) === JSON.stringify(variables);
}

/** Whether nothing of the server answered: it, or what is in front of it, cannot be reached. */
function isAway({ code, status }: StashError): boolean {
  return code === 'UNREACHABLE' || [502, 503, 504].includes(status ?? 0);
}

/** A server may keep its schema to itself; whatever else goes wrong is no such answer. */
function tellsNoSchema(error: StashError): boolean {
  const { code, case: which, details } = error;
  return (
    which === 'GRAPHQL.refused' ||
    (code === 'GRAPHQL' && /introspection|__type/i.test(String(details['text'])))
  );
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
  // Nothing has run in a server that is in no state for it.
  if (error.code === 'SERVER_STATE') return error;
  // Nothing proves that it did not run.
  return error.retry ? new StashError(error.case, { status: status ?? undefined, details }) : error;
}

function checkTimes(options: ServerOptions): void {
  const { pause = 0, retryFor = 0, timeout, lookupTimeout, backupTimeout } = options;
  const longest = 2 ** 31 / 1000 - 1;
  const times = { pause, retryFor, timeout, lookupTimeout, backupTimeout };
  for (const [property, seconds] of Object.entries(times)) {
    const least = property === 'pause' || property === 'retryFor' ? 0 : Number.MIN_VALUE;
    if (!(seconds >= least && seconds <= longest)) {
      throw new StashError('NO_SERVER.badNumber', { details: { property } });
    }
  }
}
