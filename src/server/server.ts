import { isDeepStrictEqual } from 'node:util';
import { TaskGroup } from '../async';
import { type Call, endedBy } from '../call';
import type { WatchedView } from '../contract/activity';
import { fetchFile, type Sink } from '../downloads';
import { StashError } from '../errors';
import {
  type Lookup,
  type OperationRequest,
  type RunThrottled,
  type Schema,
  type SendThrottled,
  StashClient,
  type StashClientOptions,
} from '../graphql';
import { Address, type DownloadLink, identityOf, readCredentials, RequestLog, Transport } from '../http';
import { Jobs } from '../jobs';
import { LookupQueues, siteRefusal, type SiteState } from '../lookups';
import { PathMap } from '../paths';
import { Media } from './media';
import { followMutations, type SentMutation, sendMutation } from './mutations';
import { checkOptions, MAX_QUEUED, type ServerOptions, timeoutsOf } from './options';
import { ReachabilityMonitor } from './reachability';

/** One Stash server, shared by all nodes that use the same config node. It stays the same when that node is deployed again. */
export class Server {
  /** The configured address, without a trailing slash. */
  readonly url: string;
  readonly client: StashClient;
  readonly jobs: Jobs;
  readonly media: Media;
  readonly reachability: ReachabilityMonitor;
  /** What is being watched, as each playback node has found out. */
  readonly watched = new Map<object, readonly WatchedView[]>();

  readonly #address: Address;
  /** What requests need. `configure` replaces it for the next ones. */
  readonly #connection: StashClientOptions;
  readonly #queues: LookupQueues;
  readonly #tasks = new TaskGroup();
  #options: ServerOptions;
  paths: PathMap;

  /**
   * Creates a server. Sends nothing.
   * @param schema for tests: skips the introspection.
   * @throws {StashError} NO_SERVER or UNAUTHORIZED for options with which no request can succeed.
   */
  constructor(options: ServerOptions, schema?: Schema) {
    checkOptions(options);
    this.#options = options;
    this.paths = new PathMap(options.pathMap ?? []);
    this.#address = new Address(options.url);
    this.url = this.#address.base;
    const write = (line: string) => this.#options.log?.(line);
    this.reachability = new ReachabilityMonitor(this.url, (line) => write(`${this.name}: ${line}`));
    this.#connection = {
      ...this.#route(options),
      tasks: this.#tasks,
      schema,
      readLookUpError: siteRefusal,
      reachability: this.reachability,
    };
    this.client = new StashClient(this.#connection);
    this.media = new Media(this.#address, this.#connection);
    this.jobs = new Jobs({
      url: this.url,
      request: (request) => this.client.request(request),
      attempt: (build) => this.client.attempt(build),
      socket: (subscriptions, signal) => this.#connection.transport.openSocket(subscriptions, signal),
      redact: (text) => this.redact(text),
      log: (line) => write(`jobs ${this.name}: ${line}`),
      onUnreachable: (reason) => this.client.markUnreachable(reason),
      maxQueued: this.maxQueued,
      store: () => this.#options.jobStore,
      abandoned: (job) => this.#options.abandoned?.(job),
    });
    // A server without look-ups, such as that of the Test button, needs no queues.
    this.#queues = options.pause === undefined ? new LookupQueues() : LookupQueues.of(this.url);
    this.#register();
  }

  /**
   * Applies the options of a config node that was deployed again. What is under way goes on with those from before.
   * @returns false if it has another address, and so is another server.
   * @throws {StashError} as the constructor.
   */
  configure(options: ServerOptions): boolean {
    checkOptions(options);
    if (new Address(options.url).base !== this.url) return false;
    const isSame = isDeepStrictEqual(settingsOf(options), settingsOf(this.#options));
    this.#options = options;
    this.paths = new PathMap(options.pathMap ?? []);
    this.#register();
    if (isSame) return true;
    // The connections of the last one close when they are idle.
    Object.assign(this.#connection, this.#route(options));
    this.jobs.retry();
    return true;
  }

  /** The name of this server in texts. */
  get name(): string {
    return this.#options.name?.trim() || this.#address.host;
  }

  /** The time limit of a backup, in seconds. */
  get backupTimeout(): number {
    return this.#options.backupTimeout;
  }

  /** The most messages in each queue, and of one node that wait for their scan. */
  get maxQueued(): number {
    return this.#options.maxQueued ?? MAX_QUEUED;
  }

  /** The same for all servers that are reached and signed in to alike, and for no other. */
  get identity(): string {
    const { tls, proxy } = this.#options;
    return identityOf(this.url, readCredentials(this.#options), { tls, proxy });
  }

  /**
   * Sends a request and returns the result that its operation reads from the response.
   * @throws {StashError} for everything but a result; the reason of the call's signal, once it is aborted.
   */
  async request<Result>(request: OperationRequest<Result>): Promise<Result> {
    if (request.kind === 'query') return await this.client.request(request);
    const result = await sendMutation(this.url, this.client, request);
    // A mutation may stop a job, about which the server sends no event.
    if (request.kind === 'mutation') this.jobs.requestPoll();
    return result;
  }

  /** Follows the mutations of all config nodes with this address, as `followMutations`. */
  followMutations(listener: (mutation: SentMutation) => void): () => void {
    return followMutations(this.url, listener);
  }

  /**
   * Queues `task` for the external site and runs it when it reaches the head of the queue. Every request that it sends
   * through `send`, or in `run`, is rate-limited; a task that sends none costs no pause. A dialog's look-up is not retried.
   * @throws {StashError} QUEUE_FULL if too many wait, SITE_REFUSED if the site keeps refusing, CLOSED.
   * @throws the reason of the call's signals, at once. A request that was already sent is not aborted, because the server may
   * still be calling the site; the next look-up waits for its response.
   */
  async lookUp<Result>(
    { source, retryFor, call }: Lookup,
    task: (send: SendThrottled, run: RunThrottled) => Promise<Result>,
  ): Promise<Result> {
    // A dialog does not retry: its user will not wait for an hour.
    const wanted = call.isOfEditor ? 0 : retryFor;
    const { retryFor: usual = 0 } = this.#options;
    const limits = { retryFor: (wanted ?? usual) * 1000, maxQueued: this.maxQueued };
    return await this.#run(call, (call) =>
      this.#queues
        .at(source)
        .lookUp({ call, ...limits }, (throttle) =>
          task((build) => throttle(() => this.client.lookUp(build, call)), throttle),
        ),
    );
  }

  /** The external sites for which messages wait, of all config nodes with this address, and those that block requests. */
  get sites(): SiteState[] {
    return this.#queues.states;
  }

  /**
   * Signs in, and sends the smallest request.
   * @throws {StashError} as `request`.
   */
  async signIn(call: Call): Promise<void> {
    const document = '{ version { version } }';
    await this.#tasks.run(
      call.signal,
      (signal) =>
        this.#connection.transport.post({ document, pool: 'editor', signal, trace: { sent: false } }),
      this.#options.timeout,
    );
  }

  /**
   * Opens the socket on which the server reports its jobs, and closes it.
   * @returns false behind a configured proxy, where none is possible.
   * @throws {StashError} as `request`; UNREACHABLE if the server offers no socket.
   */
  async tryLiveEvents(call: Call): Promise<boolean> {
    const socket = await this.#tasks.run(call.signal, (signal) =>
      this.#connection.transport.openSocket({}, signal),
    );
    socket?.close();
    return socket !== undefined;
  }

  /** Removes secrets and control characters from a text of the server. */
  redact(text: string): string {
    return this.#connection.transport.redact(text);
  }

  /** Returns the name of the file that `link` leads to. @throws {StashError} BACKUP_INVALID if `link` is no download link. */
  downloadName(link: string): string {
    return this.redact(this.#fileOf(link).name);
  }

  /**
   * Downloads the file of `link`, only from the configured address, and reports the progress.
   * @returns the size of the file in bytes.
   * @throws {StashError} as `request`; BACKUP_INVALID if the link is invalid or has expired; the errors of the sink.
   * @throws the reason of the call's signal, once the sink is ready.
   */
  async download({ link, call, sink }: { link: string; call: Call; sink: Sink }): Promise<number> {
    const { path } = this.#fileOf(link);
    const { transport, log } = this.#connection;
    const source = { url: this.url, path, transport, log };
    return await this.#run(call, (call) => this.client.observe(fetchFile(source, sink, call)));
  }

  /**
   * Ends everything in flight with CLOSED. The connection of a look-up stays open until its response has arrived, but no call
   * waits for it.
   * @param isForGood whether no server with this address will read what is kept for the next start of Node-RED.
   */
  async close(isForGood = false): Promise<void> {
    this.#queues.unregister(this);
    this.jobs.close(isForGood);
    this.#tasks.close();
    await this.client.close();
  }

  /** Runs `task` with a call that is also aborted when this server is closed. */
  async #run<T>(call: Call, task: (call: Call) => Promise<T>): Promise<T> {
    return await this.#tasks.run(call.signal, (signal) => task(endedBy(signal, call)));
  }

  /** Returns how requests reach the server with these options. */
  #route(options: ServerOptions): Pick<StashClientOptions, 'transport' | 'timeouts' | 'log'> {
    const { timeout, tls, proxy } = options;
    const log = new RequestLog(this.name, (line) => this.#options.log?.(line));
    const credentials = readCredentials(options);
    const network = { tls, proxy };
    const transport = new Transport({ address: this.#address, credentials, network, timeout, log });
    return { transport, timeouts: timeoutsOf(options), log };
  }

  #register(): void {
    const { pause, rateLimiterStore } = this.#options;
    if (pause !== undefined) this.#queues.register(this, pause * 1000, rateLimiterStore);
  }

  #fileOf(link: string): DownloadLink {
    const file = this.#address.download(link);
    if (!file) throw new StashError('BACKUP_INVALID.noLink');
    return file;
  }
}

/** Returns the options that can be compared. */
function settingsOf(options: ServerOptions): object {
  const own = { log: undefined, rateLimiterStore: undefined, jobStore: undefined, abandoned: undefined };
  return { ...options, ...own };
}
