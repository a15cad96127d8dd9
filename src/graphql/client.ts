import { neverAborted, SingleFlight, type TaskGroup, withTimeLimit } from '../async';
import type { Call } from '../call';
import { StashError } from '../errors';
import { isRecord, isString, parsed } from '../guards';
import { type PoolName, load, type RequestLog, type RequestTrace, type Transport } from '../http';
import { timing } from '../timing';
import type { CheckedDocument } from './checked-document';
import { Documents, FULL_INTROSPECTION, type IntrospectionData } from './documents';
import {
  isUnreachable,
  suggestsOldSchema,
  isSameOperation,
  mutationError,
  refusesIntrospection,
} from './error-meaning';
import type { BuildOperation, Operation, OperationRequest, RequestKind, TimeLimits } from './operation';
import { INTROSPECTION, OLDEST, Schema } from './schema';
import { checkState, offersState, SERVER_STATE } from './server-state';

export interface StashClientOptions {
  transport: Transport;
  /** Runs the requests, and aborts them when the server is closed. */
  tasks: TaskGroup;
  timeouts: TimeLimits;
  log: RequestLog;
  /** Replaces the error of a look-up in which the server quotes the external site; returns any other error as it is. */
  readLookUpError: (error: unknown, kind: 'lookup' | 'picture') => unknown;
  /** For tests: skips the introspection. */
  schema?: Schema | undefined;
  reachability: { markReachable: (release: string) => void; markUnreachable: (reason: StashError) => void };
}

/** One run of an operation. Its time limit or its message aborts `signal`. */
interface Execution {
  kind: RequestKind;
  /** Default: the connections of the kind. */
  pool?: PoolName;
  signal: AbortSignal;
  trace: RequestTrace;
  /** The schema from which the operation was built; undefined for a request that needs none. */
  schema?: Schema;
}

/**
 * Runs GraphQL operations on one server: builds each from the cached schema, checks the server's state before a mutation, and
 * decides which failed request may be sent again.
 */
export class StashClient {
  readonly #options: StashClientOptions;
  /** Undefined before the first request, and after the server was unreachable or refused an operation. */
  #schema: Schema | undefined;
  readonly #stateFlight = new SingleFlight(() =>
    this.#share((execution) => this.#post(SERVER_STATE, execution)),
  );
  readonly #schemaFlight = new SingleFlight(() => this.#share((execution) => this.#readSchema(execution)));
  readonly #fullSchemaFlight = new SingleFlight(() =>
    this.#share((execution) => this.#readFullSchema(execution)),
  );
  /** Undefined before the first document of a user. */
  #documents: Documents | undefined;
  readonly #lookUps = new Set<Promise<unknown>>();

  constructor(options: StashClientOptions) {
    this.#options = options;
    this.#schema = options.schema;
  }

  /** @throws {StashError} for everything but a result; TIMEOUT or OUTCOME_UNKNOWN after its time limit. */
  async request<Result>({ kind, call, build }: OperationRequest<Result>): Promise<Result> {
    const { tasks, timeouts } = this.#options;
    const { isOfEditor } = call;
    const about = { kind, ...(isOfEditor && { pool: 'editor' as const }) };
    const trace = isMutation(kind) ? tracedBy((sent) => sent && call.report?.({ sent })) : { sent: false };
    return await tasks.run(
      call.signal,
      (signal) => this.#execute(announced(build, call), { ...about, signal, trace }),
      timeouts[isOfEditor ? 'editor' : kind],
    );
  }

  /**
   * Runs an operation that makes the server call an external site. Once sent, only its time limit aborts it, because the server
   * may continue to call the site.
   * @throws as `request`; the signal's reason only if it is aborted before the operation is sent.
   */
  async lookUp<Result>(build: BuildOperation<Result>, call: Call): Promise<Result> {
    const { signal } = call;
    const ending = new AbortController();
    const trace = tracedBy((sent) => {
      if (sent) call.report?.({ sent });
      abortUnlessSent();
    });
    const abortUnlessSent = () => {
      if (signal.aborted && !trace.sent) ending.abort(signal.reason);
    };
    const buildUnlessAborted: BuildOperation<Result> = (schema) => {
      signal.throwIfAborted();
      return announced(build, call)(schema);
    };
    signal.addEventListener('abort', abortUnlessSent, { once: true });
    const lookUp = withTimeLimit(ending, this.#options.timeouts.lookup, () =>
      this.#execute(buildUnlessAborted, { kind: 'lookup', signal: ending.signal, trace }),
    ).finally(() => {
      signal.removeEventListener('abort', abortUnlessSent);
      this.#lookUps.delete(lookUp);
    });
    this.#lookUps.add(lookUp);
    return await lookUp;
  }

  /**
   * Sends an optional query, if the server is ready: without their database, many releases would log a stack trace. A failure
   * has no effect, not even on whether the server counts as reachable.
   */
  async attempt(build: BuildOperation<unknown>): Promise<void> {
    const { tasks, timeouts } = this.#options;
    const schema = this.#schema;
    if (!schema) return;
    const attempting = tasks.run(
      neverAborted(),
      async (signal) => {
        const execution = () => ({ kind: 'query', signal, trace: { sent: false } }) as const;
        if (offersState(schema)) checkState(await this.#send(SERVER_STATE, execution()), false);
        await this.#send(build(schema), execution());
      },
      timeouts.query,
    );
    await attempting.catch(() => undefined);
  }

  /** @throws {StashError} SERVER_STATE if the server is not ready for a mutation; otherwise as `request`. */
  async checkReady(call: Call): Promise<void> {
    await this.#options.tasks.run(call.signal, async (signal) => {
      const schema = this.#schema ?? (await this.#schemaFlight.get(signal));
      await this.#checkState(schema, { kind: 'mutation', signal });
    });
  }

  async documents(call: Call): Promise<Documents> {
    const { tasks, timeouts } = this.#options;
    return await tasks.run(call.signal, (signal) => this.#documentsOf(signal), timeouts.editor);
  }

  /**
   * Checks a user's document against the whole schema of this server, which is read once for each connection; only its syntax
   * if the server offers no introspection.
   * @throws {StashError} BAD_INPUT for a document that the server would refuse, or a subscription; otherwise as `request`.
   */
  async checkDocument(text: string, call: Call): Promise<CheckedDocument> {
    const check = async (signal: AbortSignal) => {
      const documents = await this.#documentsOf(signal);
      try {
        return documents.check(text);
      } catch (error) {
        // The server may have been upgraded since its schema was read.
        if (!documents.mayBeOutdated(error, text)) throw error;
        this.discardSchema();
        return (await this.#documentsOf(signal)).check(text);
      }
    };
    const { tasks, timeouts } = this.#options;
    return await tasks.run(call.signal, check, call.isOfEditor ? timeouts.editor : undefined);
  }

  /** Settles as `request`, and marks the server unreachable if that is why it fails. */
  async observe<Result>(request: Promise<Result>): Promise<Result> {
    try {
      return await request;
    } catch (error) {
      if (isUnreachable(error)) this.markUnreachable(error);
      throw error;
    }
  }

  /** Reads the schema again before the next request: the server may have been upgraded. */
  discardSchema(): void {
    this.#schema = undefined;
  }

  /** Reports the server as unreachable, and discards the schema: the release may be another when it is back. */
  markUnreachable(reason: StashError): void {
    this.discardSchema();
    this.#options.reachability.markUnreachable(reason);
  }

  /** Closes the transport when the last look-up that was sent has ended. Waits only if none is in flight. */
  async close(): Promise<void> {
    const closing = Promise.allSettled(this.#lookUps).then(() => this.#options.transport.close());
    if (this.#lookUps.size === 0) await closing;
  }

  /**
   * Builds an operation from the cached schema and sends it. If the server lacks or rejects the operation, it may have been
   * upgraded since its schema was loaded. The rejection proves that nothing ran, so the client loads the schema again and sends
   * the operation once more, unless it is still the same.
   */
  async #execute<Result>(build: BuildOperation<Result>, execution: Execution): Promise<Result> {
    const { kind, signal, trace } = execution;
    const cached = this.#schema;
    const schema = cached ?? (await this.#schemaFlight.get(signal));
    /** Undefined until the state is checked, because the operation for that may be rejected as well. */
    let sent: Operation<Result> | undefined;
    try {
      const operation = build(schema);
      if (isMutation(kind)) await this.#checkState(schema, execution, operation);
      sent = operation;
      return await this.#post(operation, { ...execution, schema });
    } catch (error) {
      if (cached === undefined || !suggestsOldSchema(error)) throw error;
      if (this.#schema === cached) this.#schema = undefined;
      const renewed = this.#schema ?? (await this.#schemaFlight.get(signal));
      const operation = build(renewed);
      if (isSameOperation(sent, operation)) throw error;
      if (isMutation(kind)) await this.#checkState(renewed, execution, operation);
      trace.sent = false;
      return await this.#post(operation, { ...execution, schema: renewed });
    }
  }

  async #checkState(
    schema: Schema,
    { kind, pool, signal }: Pick<Execution, 'kind' | 'pool' | 'signal'>,
    operation?: Operation<unknown>,
  ): Promise<void> {
    if (!offersState(schema) || operation?.isReady) return;
    // A request that messages share may wait for their connections.
    const request = pool
      ? this.#post(SERVER_STATE, { kind: 'query', pool, signal, trace: { sent: false } })
      : this.#stateFlight.get(signal);
    checkState(await request, runsBeforeMigration(kind, operation));
  }

  /** Sends an operation, and once more if it is a query whose connection broke. */
  async #post<Result>(operation: Operation<Result>, execution: Execution, mayRepeat = true): Promise<Result> {
    const { kind, trace } = execution;
    try {
      return await this.#send(operation, execution);
    } catch (error) {
      if (!(error instanceof StashError)) throw error;
      if (mayRepeat && trace.sent && kind === 'query' && error.case === 'UNREACHABLE.lost') {
        // A kept-alive connection may break just as it is used again, for example after a restart of the server. Only a query
        // does no harm when it is repeated.
        this.#schema = undefined;
        return await this.#post(operation, { ...execution, trace: { sent: false } }, false);
      }
      if (isUnreachable(error)) this.markUnreachable(error);
      const cause = (await this.#stateBehind(error, operation, execution)) ?? error;
      throw trace.sent && isMutation(kind) ? mutationError(cause) : cause;
    }
  }

  /**
   * Returns the error for the server's state, if that explains an error. A server that is not set up or needs a migration
   * answers many operations with an error that explains nothing ("nil pointer dereference", "scraper not found", all releases).
   * @returns undefined for an error with another cause, or if the server does not report its state soon.
   */
  async #stateBehind(
    error: StashError,
    { rootField, needsNoDatabase }: Operation<unknown>,
    { kind, signal, schema }: Execution,
  ): Promise<StashError | undefined> {
    const isIndependent = needsNoDatabase === true || rootField === SERVER_STATE.rootField;
    if (error.case !== 'GRAPHQL.failed' || isIndependent || !offersState(schema)) return;
    const limit = new AbortController();
    const soon = AbortSignal.any([signal, limit.signal]);
    try {
      const state = await withTimeLimit(limit, timing.stateAfterError / 1000, () =>
        this.#stateFlight.get(soon),
      );
      checkState(state, runsBeforeMigration(kind));
    } catch (reason) {
      if (reason instanceof StashError && reason.code === 'SERVER_STATE') return reason;
    }
    return undefined;
  }

  async #send<Result>(operation: Operation<Result>, execution: Execution): Promise<Result> {
    const { rootField, document, variables, onErrors } = operation;
    const { kind, pool = kind === 'backup' ? 'backups' : 'messages', signal, trace } = execution;
    const { transport, log, readLookUpError } = this.#options;
    // Another request may discard it meanwhile.
    const schema = execution.schema ?? this.#schema;
    const start = performance.now();
    try {
      const data = await transport.post({ document, variables, pool, signal, trace, onErrors });
      const result = readAs(schema, operation, data);
      const job = kind === 'mutation' && isString(result) ? `job ${transport.redact(result)}` : undefined;
      log.write(rootField, trace, start, job);
      return result;
    } catch (thrown) {
      const error = kind === 'lookup' || kind === 'picture' ? readLookUpError(thrown, kind) : thrown;
      log.writeFailure(rootField, trace, start, error);
      throw error;
    }
  }

  /** Runs a request that several calls share, so none of their signals may abort it. */
  async #share<T>(request: (execution: Execution) => Promise<T>): Promise<T> {
    const { tasks, timeouts } = this.#options;
    return await tasks.run(
      neverAborted(),
      (signal) => request({ kind: 'query', signal, trace: { sent: false } }),
      timeouts.query,
    );
  }

  async #readSchema(execution: Execution): Promise<Schema> {
    const { transport, reachability } = this.#options;
    const introspection: Operation<Schema> = {
      rootField: 'introspection',
      document: INTROSPECTION,
      isWhole: true,
      read: parsed(isRecord, (data) => Schema.read(data, (text) => transport.redact(text))),
    };
    const schema = await this.#post(introspection, execution).catch((error: unknown) => {
      if (refusesIntrospection(error)) return Schema.documented();
      throw error;
    });
    const { release } = schema;
    reachability.markReachable(release);
    // Not cached: the server may be upgraded before the next request.
    if (schema.isTooOld) {
      throw new StashError('UNSUPPORTED.tooOld', { details: { release: release || '?', since: OLDEST } });
    }
    this.#schema = schema;
    return schema;
  }

  async #documentsOf(signal: AbortSignal): Promise<Documents> {
    const schema = this.#schema ?? (await this.#schemaFlight.get(signal));
    if (this.#documents?.of === schema) return this.#documents;
    const library = await load('graphql', () => import('graphql'));
    const full = await this.#fullSchemaFlight.get(signal);
    // A concurrent message may have built it.
    if (this.#documents?.of !== schema) this.#documents = new Documents(library, schema, full);
    return this.#documents;
  }

  async #readFullSchema(execution: Execution): Promise<IntrospectionData | null> {
    const introspection: Operation<IntrospectionData> = {
      rootField: 'introspection',
      document: FULL_INTROSPECTION,
      isWhole: true,
      read: parsed(isRecord, (data) => data),
    };
    return await this.#post(introspection, execution).catch((error: unknown) => {
      if (refusesIntrospection(error)) return null;
      throw error;
    });
  }
}

/** Reads a response. A server with a schema of Stash is a Stash: a response in another form is one of an unknown release. */
function readAs<Result>(
  schema: Schema | undefined,
  { rootField, isWhole, read }: Operation<Result>,
  data: Readonly<Record<string, unknown>>,
): Result {
  try {
    return read(isWhole ? data : data[rootField]);
  } catch (error) {
    const isOtherForm = error instanceof StashError && error.code === 'NOT_STASH';
    throw isOtherForm && schema ? schema.hasOtherForm(rootField) : error;
  }
}

function announced<Result>(build: BuildOperation<Result>, call: Call): BuildOperation<Result> {
  return (schema) => {
    const operation = build(schema);
    call.report?.({ operation: operation.rootField });
    return operation;
  };
}

function isMutation(kind: RequestKind): kind is 'mutation' | 'picture' | 'backup' {
  return kind === 'mutation' || kind === 'picture' || kind === 'backup';
}

/** A backup before the migration is useful. */
function runsBeforeMigration(kind: RequestKind, operation?: Operation<unknown>): boolean {
  return kind === 'backup' || operation?.runsBeforeMigration === true;
}

/** Returns a trace that reports whether the request was sent: false again for one that was rejected and will be sent again. */
function tracedBy(report: (sent: boolean) => void): RequestTrace {
  let isSent = false;
  return {
    get sent() {
      return isSent;
    },
    set sent(value) {
      isSent = value;
      report(value);
    },
  };
}
