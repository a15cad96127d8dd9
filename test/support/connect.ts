import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server as NetServer } from 'node:net';
import sinon from 'sinon';
import type { Call, CallEvent } from '../../src/call';
import { StashError } from '../../src/errors';
import type { OperationRequest } from '../../src/graphql/operation';
import { Schema } from '../../src/graphql/schema';
import { parsed } from '../../src/guards';
import type { ServerOptions } from '../../src/server/options';
import { Server } from '../../src/server/server';
import { FakeStash, type FakeStashOptions } from '../fake-stash/fake-stash';

/** Documents for requests. */
export const STATUS = '{ systemStatus { status } }';
export const SCAN = 'mutation { metadataScan(input: {}) }';
const BACKUP = 'mutation { backupDatabase(input: { download: false }) }';
export const SEARCH = 'query ($query: String!) { scrapeSitePerformerList(query: $query) }';

/** Returns the options of a server without credentials and without a pause between look-ups. */
export function options(url: string, changes: Partial<ServerOptions> = {}): ServerOptions {
  return { url, auth: 'none', pause: 0, timeout: 5, lookupTimeout: 5, backupTimeout: 5, ...changes };
}

/** The call of one message. */
export class Message implements Call {
  readonly #end = new AbortController();
  readonly #reset = new AbortController();
  readonly signal = this.#end.signal;
  readonly waiting = this.#reset.signal;
  readonly news: CallEvent[] = [];
  readonly report = (news: CallEvent): void => {
    this.news.push(news);
  };

  /** The root fields of its requests. */
  get operations(): string[] {
    return this.news.flatMap((news) => ('operation' in news ? [news.operation] : []));
  }

  end(reason: Error): void {
    this.#end.abort(reason);
  }

  reset(reason: Error): void {
    this.#reset.abort(reason);
  }
}

/** A server with short methods for tests. By default each request belongs to its own message. */
export class TestServer extends Server {
  /** @param schema the known schema, so that tests see no request for it; null to read it from the server. */
  constructor(options: ServerOptions, schema: Schema | null = Schema.documented()) {
    super(options, schema ?? undefined);
  }

  query(document = STATUS, call: Call = new Message()): Promise<unknown> {
    return this.#ask('query', rootField(document), document, call);
  }

  scan(call: Call = new Message()): Promise<unknown> {
    return this.#ask('mutation', 'metadataScan', SCAN, call);
  }

  /** Sends a scan that servers refuse, as after an upgrade, and then the one for the newer schema. */
  scanAgain(): Promise<unknown> {
    const documents = ['mutation { metadataScan(input: { gone: true }) }', SCAN];
    const build = () => operationOf('metadataScan', documents.shift() ?? SCAN);
    return this.request({ kind: 'mutation', call: new Message(), build });
  }

  backup(call: Call = new Message()): Promise<unknown> {
    return this.#ask('backup', 'backupDatabase', BACKUP, call);
  }

  search(query: string, call: Call = new Message()): Promise<unknown> {
    const operation = operationOf('scrapeSitePerformerList', SEARCH, { query });
    return this.lookUp({ source: '', call }, (ask) => ask(() => operation));
  }

  #ask(
    kind: OperationRequest<unknown>['kind'],
    field: string,
    document: string,
    call: Call,
  ): Promise<unknown> {
    return this.request({ kind, call, build: () => operationOf(field, document) });
  }
}

/**
 * Starts a fake server for each test of the suite, and connects to it. Reads the schema from it.
 * @param take gets both, also after each call of the returned function.
 * @returns replaces both by those with other settings.
 */
export function useServer(
  take: (stash: FakeStash, server: TestServer) => void,
  settings: FakeStashOptions = { release: 'v0.30.1' },
  changes: Partial<ServerOptions> = {},
): (other: FakeStashOptions) => Promise<void> {
  let disconnect: () => Promise<void>;
  const connect = async (other: FakeStashOptions = {}) => {
    const stash = await FakeStash.start({ ...settings, ...other });
    const server = new TestServer(options(stash.url, changes), null);
    disconnect = async () => {
      await server.close();
      await stash.stop();
    };
    take(stash, server);
  };
  beforeEach(() => connect());
  afterEach(() => disconnect());
  return async (other) => {
    await disconnect();
    await connect(other);
  };
}

function operationOf(field: string, document: string, variables?: Record<string, unknown>) {
  return {
    rootField: field,
    document,
    ...(variables && { variables }),
    read: parsed(isAnything, (value) => value),
  };
}

/** Accepts any value, because the tests check it. */
function isAnything(value: unknown): value is unknown {
  return value !== undefined;
}

/** Returns the root field of a document. */
function rootField(document: string): string {
  return /\{\s*(\w+)/.exec(document)?.[1] ?? '';
}

/** Returns the error of a failed request. */
export async function failure(request: Promise<unknown>): Promise<StashError> {
  try {
    await request;
  } catch (error) {
    assert.ok(error instanceof StashError, `an error of another package: ${String(error)}`);
    return error;
  }
  assert.fail('the request fails');
}

/** Returns the port of a listening server. */
export function portOf(server: NetServer): number {
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return address.port;
}

/**
 * Returns a port on loopback on which nothing listens. It is below 32,768, so the system gives it to no server of another test.
 */
export async function freePort(): Promise<number> {
  const port = 10_000 + Math.floor(Math.random() * 20_000);
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return await freePort();
  }
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Records the delays of all timers, in seconds; the time limits are among them.
 * @returns ends the recording, and lists them.
 */
export function timeLimits(): () => number[] {
  const timers = sinon.spy(globalThis, 'setTimeout');
  return () => {
    timers.restore();
    return timers.args.map(([, milliseconds = 0]) => milliseconds / 1000);
  };
}
