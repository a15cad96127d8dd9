import { once, setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { type Answer, send, text } from './answers';
import { type AuthState, hasSession, refusal } from './authentication';
import { Backups } from './backups';
import { type FaultFilter, Faults, type Handler } from './faults';
import { Clock } from './clock';
import { type ComingOptions, withRole } from './coming';
import { Github } from './github';
import { answerGraphql, type Service } from './graphql';
import { Jobs } from './jobs';
import { ServerLog } from './server-log';
import type { Group, Marker } from './facts';
import { type Arrival, Library, type Studio, STUDIOS, type Tag, TAGS } from './library';
import { mediaAnswer } from './media';
import { pictureAnswer } from './pictures';
import { loginPage, playground, unknownToProxy, webInterface } from './pages';
import { People } from './people';
import { LOCAL_PERFORMERS } from './performers';
import type { Player } from './players';
import { rootFields } from './request-body';
import { origin, target, withoutPrefix } from './proxy';
import { type Plugin, type PluginRun, PLUGINS } from './plugins';
import { record, type RecordedRequest } from './recorded-request';
import { schemaOf } from './schema';
import { changedSchema, type SchemaChange } from './schema-change';
import { type Quirks, quirksOf } from './quirks';
import type { Release } from './releases';
import { listen, resolvers, type ServerState } from './resolvers';
import type { SavedFilter } from './saved-filters';
import { type Credentials, Sessions } from './sessions';
import type { TaskDefaults } from './settings';
import { Shelf } from './shelf';
import { Site } from './site';
import { Sockets } from './sockets';

/** Options of a fake server; defaults in brackets. */
export interface FakeStashOptions extends ComingOptions {
  /** The release that it imitates ("documented": the interface document's names, the newest behaviour). */
  release?: Release;
  /** How its schema differs from that of the release, for one that nobody knows yet (not at all). */
  schemaChanges?: readonly SchemaChange[];
  /** A port, to restart a server at its address (any free one). */
  port?: number;
  /** Serves below this path, e.g. "/stash", like a server behind a reverse proxy that strips it (""). */
  basePath?: string;
  /** The API key of a server with credentials (none). */
  apiKey?: string;
  /** The user of a server with credentials (none). */
  credentials?: Credentials;
  /** Whether ffmpeg and ffprobe are installed, which scan and generate need (true). */
  ffmpeg?: boolean;
  /** The duration of a job (0.2). */
  jobSeconds?: number;
  /** How many times faster than stated its jobs and its log run (1). */
  tempo?: number;
  /** The duration of a backup (0). */
  backupSeconds?: number;
  /** The time zone, e.g. "+02:00" ("Z"). */
  zone?: string;
  /** Receives a line for each step of a job and each backup. */
  log?: (line: string) => void;
}

/** The root fields whose queries read the database. */
const READS_DATABASE = /^(?:find(?!Job$)|all[A-Z]|stats$)/;

/** Ports used so far: the code under test may remember a server by its address, so each port is used once. */
const portsGiven = new Set<number>();

/** A real HTTP server on loopback that behaves like a release of Stash, over a made-up library. */
export class FakeStash implements ServerState, AuthState {
  status: ServerState['status'] = 'OK';
  /** When its release was built: the time of v0.30.1, whatever the release. */
  built = '2025-12-18 05:25:41';
  studios: readonly Studio[] = STUDIOS;
  tags: readonly Tag[] = TAGS;
  /** The installed plugins; a test may replace them. */
  plugins: readonly Plugin[] = PLUGINS;
  /** The plugins that have been started, in order. */
  readonly pluginRuns: PluginRun[] = [];
  /** What was set of plugins, in order. */
  readonly pluginSettings: { id: string; input: { commands?: string } }[] = [];
  /** The players in pages of Stash, which obey at once; a test may replace them. */
  players: Player[] = [];
  /** The options of tasks in `configuration.defaults`: by default none. */
  defaults: TaskDefaults = {};
  /** The options of tasks in `configuration.ui`, where the Tasks page saves them since v0.26: by default none. */
  taskDefaults: object | undefined;
  /** The settings of the interface, such as `trackActivity`. */
  ui: object = {};
  /** The API key, empty without one; a test may change it. */
  apiKey: string;
  /** Whether it refuses everybody, as after a request from the internet to a server without credentials. */
  exposed = false;
  /** Whether the process has crashed: connections are cut and the port is closed. */
  died = false;
  /** All requests so far, in the order of their arrival. */
  readonly requests: RecordedRequest[] = [];
  readonly ffmpeg: boolean;
  readonly log: (line: string) => void;
  readonly clock: Clock;
  readonly serverLog: ServerLog;
  readonly library = new Library();
  /** The performers in the library; a test may add some. */
  readonly people: People;
  /** Markers of scenes, groups of scenes, and filters that somebody has saved: a new server has none. */
  readonly markers = new Shelf<Marker>();
  readonly groups = new Shelf<Group>();
  readonly filters = new Shelf<SavedFilter>();
  readonly jobs: Jobs;
  readonly sockets: Sockets;
  readonly backups: Backups;
  readonly site: Site;
  readonly localSite: Site;
  readonly github: Github;
  readonly quirks: Quirks;
  readonly sessions: Sessions;

  readonly #schema: ReturnType<typeof schemaOf>;
  readonly #credentials: Credentials | undefined;
  readonly #basePath: string;
  readonly #faults = new Faults();
  readonly #end = new AbortController();
  readonly #running = new Set<ServerResponse>();
  readonly #resolvers: ReturnType<typeof resolvers>;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #port = 0;

  private constructor(options: FakeStashOptions) {
    const { jobSeconds = 0.2, backupSeconds = 0, tempo = 1 } = options;
    const { log = () => undefined } = options;
    const { signal } = this.#end;
    setMaxListeners(0, signal); // one listener for each request and job that waits
    const { release = 'documented', schemaChanges, verifies, role } = options;
    const isKnown = !schemaChanges && !verifies && !role;
    this.#schema = isKnown ? schemaOf(release) : changedSchema(release, schemaChanges ?? [], options);
    this.quirks = { ...quirksOf(release), ...(verifies && { cleans: 'verifying' }) };
    this.people = new People(this.quirks);
    this.apiKey = options.apiKey ?? '';
    this.#credentials = options.credentials;
    this.sessions = new Sessions(options.credentials);
    this.ffmpeg = options.ffmpeg ?? true;
    this.log = log;
    this.clock = new Clock(options.zone ?? 'Z', this.quirks);
    this.serverLog = new ServerLog(this.clock, signal);
    this.serverLog.every /= tempo;
    const crash = () => {
      this.#crash();
    };
    const { clock, serverLog } = this;
    this.jobs = new Jobs({ seconds: jobSeconds, tempo, clock, serverLog, signal, log, crash }, this.quirks);
    this.sockets = new Sockets(this.quirks);
    this.backups = new Backups({ seconds: backupSeconds, signal, clock });
    this.site = new Site(signal);
    this.localSite = new Site(signal, 'localtest.example', LOCAL_PERFORMERS);
    this.localSite.listed = ['name', 'url', 'birthdate', 'disambiguation'];
    this.github = new Github(signal);
    const root = resolvers(this);
    const mutations = Object.keys(schemaOf(release).schema.getMutationType()?.getFields() ?? {});
    this.#resolvers = role ? withRole(role, root, mutations) : root;
    this.#basePath = (options.basePath ?? '').replace(/\/+$/, '');
    this.#server.on('upgrade', (request, socket, head) => {
      this.#upgrade(request, socket, head);
    });
  }

  /** Resolves when the server listens. */
  static async start(options: FakeStashOptions = {}): Promise<FakeStash> {
    const stash = new FakeStash(options);
    for (;;) {
      const server = stash.#server.listen(options.port ?? 0, '127.0.0.1');
      await once(server, 'listening');
      stash.#port = portOf(server.address());
      if (options.port !== undefined || !portsGiven.has(stash.#port)) break;
      server.close();
      await once(server, 'close');
    }
    portsGiven.add(stash.#port);
    return stash;
  }

  /** The base URL, as a user enters it. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}${this.#basePath}`;
  }

  /** The port, to restart the server at the same address. */
  get port(): number {
    return this.#port;
  }

  get hasCredentials(): boolean {
    return this.apiKey !== '' || this.#credentials !== undefined;
  }

  /** Files that cannot be read: the log names them, and the scan still ends as FINISHED. */
  get broken(): readonly string[] {
    return this.library.broken;
  }

  set broken(paths: readonly string[]) {
    this.library.broken = paths;
  }

  /** Puts a file on the disk. The next scan that covers it makes it a scene, an image or a gallery. */
  arrive(file: Arrival): void {
    this.library.arrive(file);
  }

  /** Expires all session cookies so far. */
  expireSessions(): void {
    this.sessions.expire();
  }

  /**
   * Answers requests with a response or a handler, before credentials are checked, as a proxy could. The first
   * matching call takes a request.
   */
  answerWith(what: Answer | Handler, filter: FaultFilter = {}): void {
    this.#faults.add(what, filter);
  }

  /** Ends all effects of `answerWith`. */
  answerNormally(): void {
    this.#faults.clear();
  }

  /** Ends the server like SIGKILL: connections are cut, jobs are lost. Another server may then use its port. */
  async stop(): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#cut();
    await once(this.#server, 'close');
  }

  /**
   * Ends the server like SIGTERM: it accepts no new connection. Since v0.24 it first finishes running requests, and
   * open sockets stay that long; before, SIGTERM is like SIGKILL.
   */
  async shutDown(): Promise<void> {
    if (this.quirks.finishesRequests) {
      this.#server.close();
      await Promise.all([...this.#running].map((response) => once(response, 'close')));
    }
    await this.stop();
  }

  #cut(): void {
    this.#end.abort();
    this.#server.close();
    this.#server.closeAllConnections();
    this.sockets.cut();
  }

  #crash(): void {
    this.died = true;
    this.#cut();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#running.add(response);
    response.once('close', () => this.#running.delete(response));
    response.setHeader('Date', new Date(this.clock.milliseconds()).toUTCString());
    try {
      await this.#handle(request, response, await readText(request));
    } catch (error) {
      // The client or the server is gone, or the handler of a test has thrown: then the response contains its error.
      if (response.headersSent) response.destroy();
      else send(request, response, text(500, error instanceof Error ? String(error.stack) : String(error)));
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const entry = record(request, response, body);
    this.requests.push(entry);
    const url = withoutPrefix(request.url ?? '/', this.#basePath);
    if (url === undefined) {
      send(request, response, unknownToProxy());
      return;
    }
    if (/%(?![0-9a-f]{2})/i.test(target(request).path)) {
      send(request, response, text(400, '400 Bad Request'));
      return;
    }
    request.url = url; // as the server behind the proxy receives it

    const crash = () => {
      response.once('close', () => {
        this.#crash();
      });
    };
    const client = new AbortController();
    response.once('close', () => {
      client.abort();
    });
    const service = this.#service(request, client.signal, crash);
    const execute = () => this.#answer(request, body, service);
    const fault = this.#faults.take(request, target(request).path, rootFields(entry.body));
    if (fault) await fault(request, response, entry.body, execute);
    else send(request, response, await execute());
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = withoutPrefix(request.url ?? '/', this.#basePath);
    request.url = url ?? '/';
    const { path } = target(request);
    const known = path === '/graphql' || path === '/graphql/';
    const refused = url === undefined ? unknownToProxy() : refusal(request, this);
    this.sockets.upgrade(request, socket, head, refused ?? (known ? undefined : webInterface()), (gone) =>
      this.#service(request, gone, () => {
        setImmediate(() => {
          this.#crash();
        });
      }),
    );
  }

  /** Returns the service that executes the documents of one client. */
  #service(request: IncomingMessage, gone: AbortSignal, crash: () => void): Service {
    return {
      quirks: this.quirks,
      schema: this.#schema.schema,
      rootValue: this.#resolvers,
      contextValue: { origin: origin(request), gone, crash },
      queried: (fields) => {
        if (this.status !== 'OK') return;
        for (const field of fields.filter((one) => READS_DATABASE.test(one))) {
          // The items, and how many there are.
          for (const what of ['*', 'COUNT(*)'])
            this.serverLog.write('Trace', `SQL [94.692µs]: SELECT ${what} FROM \`${field}\`, args: []`);
        }
      },
      failed: (message) => {
        this.serverLog.write('Error', message);
      },
      listen: (field, listener, signal) => {
        listen(this, field, listener, signal);
      },
      gone,
    };
  }

  async #answer(request: IncomingMessage, body: string, service: Service): Promise<Answer> {
    const { path } = target(request);
    if (path === '/healthz') return text(200, '.');
    const refused = refusal(request, this);
    if (refused) return refused;
    const renewed = hasSession(request, this) ? this.sessions.cookie() : {};
    const answer = await this.#serveKnown(request, path, body, service);
    return { ...answer, headers: { ...renewed, ...answer.headers } };
  }

  /** Answers a request that has passed the authentication. */
  async #serveKnown(request: IncomingMessage, path: string, body: string, service: Service): Promise<Answer> {
    if (path === '/graphql' || path === '/graphql/') return await answerGraphql(request, body, service);
    if (path === '/playground') return playground(this.#schema.text);
    if (path.startsWith('/downloads/')) return this.backups.answer(request, path, service.gone);
    if (/^\/login\/?$/.test(path) && request.method === 'POST') {
      return this.sessions.signIn(body, !this.hasCredentials, this.quirks);
    }
    const media = mediaAnswer(this, request, path) ?? pictureAnswer(this, request, path);
    if (media) return media;
    return path.startsWith('/login') ? loginPage() : webInterface();
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}
