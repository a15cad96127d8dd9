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
import { answerGraphql, type Service } from './graphql';
import { Jobs } from './jobs';
import { ServerLog } from './server-log';
import { type Arrival, Library, STUDIOS } from './library';
import { loginPage, playground, unknownToProxy, webInterface } from './pages';
import { LOCAL_PERFORMERS } from './performers';
import { rootFields } from './request-body';
import { origin, target, withoutPrefix } from './proxy';
import { record, type RecordedRequest } from './recorded-request';
import { schemaOf } from './schema';
import { type Quirks, quirksOf } from './quirks';
import type { Release } from './releases';
import { listen, resolvers, type ServerState } from './resolvers';
import { type Credentials, Sessions } from './sessions';
import { Site } from './site';
import { Sockets } from './sockets';
import { Emitter } from './emitter';

/** What a fake server is like when it starts; in brackets what it is otherwise. */
export interface FakeStashOptions {
  /** Whose schema and quirks it has ("documented": the interface document's names, the newest quirks). */
  release?: Release;
  /** A free one, unless a stopped server is to come back at the same address. */
  port?: number;
  /** Serves everything below this path, e.g. "/stash", as behind a reverse proxy that strips it. */
  basePath?: string;
  /** The server has credentials, and this is its key. */
  apiKey?: string;
  /** The server has credentials, and this is who may sign in. */
  credentials?: Credentials;
  /** How long a session lasts after its last request (3600). */
  sessionSeconds?: number;
  /** Whether ffmpeg and ffprobe are installed (true); without them there is neither scan nor generate. */
  ffmpeg?: boolean;
  /** How long a job runs (0.2). */
  jobSeconds?: number;
  /** How many times faster its jobs and its log go on than told (1). */
  tempo?: number;
  /** How long a backup takes before it is answered (0). */
  backupSeconds?: number;
  /** The server's time zone, e.g. "+02:00" ("Z"). */
  zone?: string;
  /** Is told each step of a job and each backup. */
  log?: (line: string) => void;
}

/** Those that a fake server had before: what is remembered of a server by its address shall meet no other one. */
const portsGiven = new Set<number>();

/** A real HTTP server on loopback that behaves as a release of Stash does, over a made-up library. */
export class FakeStash implements ServerState, AuthState {
  status: ServerState['status'] = 'OK';
  studios: ServerState['studios'] = STUDIOS;
  /** The key it has, empty without credentials; changed when somebody generates another. */
  apiKey: string;
  /** Came to be reached from the internet without credentials, and answers nobody since. */
  exposed = false;
  /** The process has crashed: its connections are cut and its port is closed. */
  died = false;
  /** Everything that was asked, in the order in which it arrived. */
  readonly requests: RecordedRequest[] = [];
  readonly ffmpeg: boolean;
  readonly log: (line: string) => void;
  readonly clock: Clock;
  readonly serverLog: ServerLog;
  readonly library = new Library();
  readonly jobs: Jobs;
  readonly scanned = new Emitter<boolean>();
  readonly sockets: Sockets;
  readonly backups: Backups;
  readonly site: Site;
  readonly localSite: Site;
  readonly quirks: Quirks;
  readonly sessions: Sessions;

  readonly #release: Release;
  readonly #credentials: Credentials | undefined;
  readonly #basePath: string;
  readonly #faults = new Faults();
  readonly #end = new AbortController();
  readonly #running = new Set<ServerResponse>();
  readonly #resolvers: ReturnType<typeof resolvers>;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #port = 0;

  private constructor(options: FakeStashOptions) {
    const { jobSeconds = 0.2, backupSeconds = 0, sessionSeconds = 3600, tempo = 1 } = options;
    const { log = () => undefined } = options;
    const { signal } = this.#end;
    setMaxListeners(0, signal); // one for each request and job that waits
    this.#release = options.release ?? 'documented';
    this.quirks = quirksOf(this.#release);
    this.apiKey = options.apiKey ?? '';
    this.#credentials = options.credentials;
    this.sessions = new Sessions(options.credentials, sessionSeconds);
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
    this.backups = new Backups({ seconds: backupSeconds, signal, clock, quirks: this.quirks });
    this.site = new Site(signal);
    this.localSite = new Site(signal, 'localtest.example', LOCAL_PERFORMERS);
    this.localSite.listed = ['name', 'url', 'birthdate', 'disambiguation'];
    this.#resolvers = resolvers(this);
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

  /** The base URL, as a user would enter it. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}${this.#basePath}`;
  }

  /** For another server that is to come back at the same address. */
  get port(): number {
    return this.#port;
  }

  get hasCredentials(): boolean {
    return this.apiKey !== '' || this.#credentials !== undefined;
  }

  /** Files that cannot be read: the log tells of them, the scan is FINISHED nevertheless. */
  get broken(): readonly string[] {
    return this.library.broken;
  }

  set broken(paths: readonly string[]) {
    this.library.broken = paths;
  }

  /** Puts a file on the disk, which the next scan that covers it makes a scene, an image or a gallery. */
  arrive(file: Arrival): void {
    this.library.arrive(file);
  }

  /** Lets all cookies that were given until now be too old. */
  expireSessions(): void {
    this.sessions.expire();
  }

  /**
   * Lets an answer or a handler take requests in the server's place, before credentials are looked at, as
   * a proxy in front of it could. Of several that fit, the first ordered takes a request.
   */
  answerWith(what: Answer | Handler, filter: FaultFilter = {}): void {
    this.#faults.add(what, filter);
  }

  /** Ends all that `answerWith` began. */
  answerNormally(): void {
    this.#faults.clear();
  }

  /** Ends the server as SIGKILL does: connections are cut, jobs are lost. Another may take its port. */
  async stop(): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#cut();
    await once(this.#server, 'close');
  }

  /**
   * Ends the server as SIGTERM does: it takes no new connection, but from v0.24 on it first finishes the requests
   * that run, and the sockets that are open go on as long. Otherwise it ends as by SIGKILL.
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
    try {
      await this.#handle(request, response, await readText(request));
    } catch (error) {
      // Either the client or the server has gone, or a handler of a test is wrong: the latter shows so.
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
    request.url = url; // what the server behind the proxy gets to see

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

  /** Somebody wants a socket. */
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

  /** What stands behind the server's GraphQL for one client. */
  #service(request: IncomingMessage, gone: AbortSignal, crash: () => void): Service {
    return {
      quirks: this.quirks,
      schema: schemaOf(this.#release).schema,
      rootValue: this.#resolvers,
      contextValue: { origin: origin(request), gone, crash },
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
    if (path === '/healthz' && this.quirks.apiKeys) return text(200, '.');
    const refused = refusal(request, this);
    if (refused) return refused;
    const renewed = hasSession(request, this) ? this.sessions.cookie(this.quirks) : {};
    const answer = await this.#serveKnown(request, path, body, service);
    return { ...answer, headers: { ...renewed, ...answer.headers } };
  }

  /** Answers somebody who may ask. */
  async #serveKnown(request: IncomingMessage, path: string, body: string, service: Service): Promise<Answer> {
    const { quirks } = this;
    if (path === '/graphql' || path === '/graphql/') return answerGraphql(request, body, service);
    if (path === '/playground') return playground(schemaOf(this.#release).text);
    if (path.startsWith('/downloads/')) return this.backups.answer(request, path, service.gone);
    if (/^\/login\/?$/.test(path) && request.method === 'POST') {
      return this.sessions.signIn(request, body, !this.hasCredentials, quirks);
    }
    return path.startsWith('/login') ? loginPage() : webInterface();
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}
