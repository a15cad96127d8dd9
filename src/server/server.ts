import { TaskGroup } from '../async';
import { type Call, endedBy } from '../call';
import { fetchFile, type Sink } from '../downloads';
import { StashError } from '../errors';
import { type Lookup, type OperationRequest, type Schema, type SendThrottled, StashClient } from '../graphql';
import { Address, type DownloadLink, identityOf, readCredentials, RequestLog, Transport } from '../http';
import { Jobs } from '../jobs';
import { LookupQueues, siteRefusal, type SiteState } from '../lookups';
import { PathMap } from '../paths';
import { Media } from './media';
import { checkOptions, MAX_PENDING, MAX_QUEUED, type ServerOptions, timeoutsOf } from './options';
import { ReachabilityMonitor } from './reachability';

/** One Stash server, shared by all nodes that use the same config node. */
export class Server {
  /** The name of this server in texts. */
  readonly name: string;
  /** The configured address, without a trailing slash. */
  readonly url: string;
  /** The time limit of a backup, in seconds. */
  readonly backupTimeout: number;
  /** The most messages of one node that may wait for their scan, or that may wait to save a performer. */
  readonly maxPending: number;
  /** The same for all servers with the same address and credentials, and for no other. */
  readonly identity: string;

  readonly paths: PathMap;
  readonly client: StashClient;
  readonly jobs: Jobs;
  readonly media: Media;
  readonly reachability: ReachabilityMonitor;

  /** The time limit of a query, in seconds. */
  readonly #timeout: number;
  readonly #lookupLimits: { retryFor: number; maxQueued: number };
  readonly #address: Address;
  readonly #transport: Transport;
  readonly #log: RequestLog;
  readonly #queues: LookupQueues;
  readonly #tasks = new TaskGroup();

  /**
   * Creates a server. Sends nothing.
   * @param schema for tests: skips the introspection.
   * @throws {StashError} NO_SERVER or UNAUTHORIZED for options with which no request can succeed.
   */
  constructor(options: ServerOptions, schema?: Schema) {
    checkOptions(options);
    const { id, timeout, pause, retryFor = 0, maxQueued = MAX_QUEUED, rateLimiterStore, log } = options;
    this.paths = new PathMap(options.pathMap ?? []);
    const address = new Address(options.url);
    const credentials = readCredentials(options);
    this.#address = address;
    this.url = address.base;
    this.name = options.name?.trim() || address.host;
    this.#timeout = timeout;
    this.backupTimeout = options.backupTimeout;
    this.maxPending = options.maxQueued ?? MAX_PENDING;
    this.identity = identityOf(this.url, credentials);
    this.#log = new RequestLog(this.name, log);
    this.#transport = new Transport({ address, credentials, network: options, timeout, log: this.#log });
    this.media = new Media({
      address,
      transport: this.#transport,
      tasks: this.#tasks,
      timeout,
      log: this.#log,
    });
    this.reachability = new ReachabilityMonitor(this.url, (line) => log?.(`${this.name}: ${line}`));
    this.client = new StashClient({
      transport: this.#transport,
      tasks: this.#tasks,
      timeouts: timeoutsOf(options),
      log: this.#log,
      schema,
      readLookUpError: siteRefusal,
      reachability: this.reachability,
    });
    this.jobs = new Jobs({
      url: this.url,
      id,
      request: (request) => this.client.request(request),
      attempt: (build) => this.client.attempt(build),
      socket: (subscriptions, signal) => this.#transport.openSocket(subscriptions, signal),
      redact: (text) => this.redact(text),
      log: (line) => log?.(`jobs ${this.name}: ${line}`),
      away: (reason) => {
        this.client.markAway(reason);
      },
      maxQueued,
    });
    this.#lookupLimits = { retryFor: retryFor * 1000, maxQueued };
    // A server without look-ups, such as that of the Test button, needs no queues.
    this.#queues = pause === undefined ? new LookupQueues() : LookupQueues.of(this.url);
    if (pause !== undefined) this.#queues.join(this, pause * 1000, rateLimiterStore);
  }

  /**
   * Sends a request and returns the result that its operation reads from the response.
   * @throws {StashError} for everything but a result; the reason of the call's signal, once it is aborted.
   */
  async request<Result>(request: OperationRequest<Result>): Promise<Result> {
    const result = await this.client.request(request);
    // A mutation may stop a job, about which the server sends no event.
    if (request.kind === 'mutation') this.jobs.requestPoll();
    return result;
  }

  /**
   * Queues `task` for the external site and runs it when it reaches the head of the queue. Every request that it sends
   * through `send` is rate-limited; a task that sends none costs no pause. A dialog's look-up is not retried.
   * @throws {StashError} QUEUE_FULL if too many wait, SITE_REFUSED if the site keeps refusing, CLOSED.
   * @throws the reason of the call's signals, at once. A request that was already sent is not aborted, because the server may
   * still be calling the site; the next look-up waits for its response.
   */
  async lookUp<Result>(
    { source, retryFor, call }: Lookup,
    task: (send: SendThrottled) => Promise<Result>,
  ): Promise<Result> {
    // A dialog does not retry: its user will not wait for an hour.
    const wanted = call.isOfEditor ? 0 : retryFor;
    const limits = { ...this.#lookupLimits, ...(wanted !== undefined && { retryFor: wanted * 1000 }) };
    return await this.#run(call, (call) =>
      this.#queues
        .at(source)
        .lookUp({ call, ...limits }, (throttle) =>
          task((build) => throttle(() => this.client.lookUp(build, call))),
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
      (signal) => this.#transport.post({ document, lane: 'editor', signal, trace: { sent: false } }),
      this.#timeout,
    );
  }

  /**
   * Opens the socket on which the server reports its jobs, and closes it.
   * @returns false behind a configured proxy, where none is possible.
   * @throws {StashError} as `request`; UNREACHABLE if the server offers no socket.
   */
  async tryLiveEvents(call: Call): Promise<boolean> {
    const socket = await this.#tasks.run(call.signal, (signal) => this.#transport.openSocket({}, signal));
    socket?.close();
    return socket !== undefined;
  }

  /** Removes secrets and control characters from a text of the server. */
  redact(text: string): string {
    return this.#transport.redact(text);
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
    const source = { url: this.url, path, transport: this.#transport, log: this.#log };
    return await this.#run(call, (call) => this.client.observe(fetchFile(source, sink, call)));
  }

  /**
   * Ends everything in flight with CLOSED. The connection of a look-up stays open until its response has arrived, but no call
   * waits for it.
   */
  async close(): Promise<void> {
    this.#queues.leave(this);
    this.jobs.close();
    this.#tasks.close();
    await this.client.close();
  }

  /** Runs `task` with a call that is also aborted when this server is closed. */
  async #run<T>(call: Call, task: (call: Call) => Promise<T>): Promise<T> {
    return await this.#tasks.run(call.signal, (signal) => task(endedBy(signal, call)));
  }

  #fileOf(link: string): DownloadLink {
    const file = this.#address.download(link);
    if (!file) throw new StashError('BACKUP_INVALID.noLink');
    return file;
  }
}
