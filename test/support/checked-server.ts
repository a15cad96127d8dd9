import assert from 'node:assert/strict';
import * as graphql from 'graphql';
import {
  execute,
  getNullableType,
  getVariableValues,
  type GraphQLOutputType,
  type GraphQLSchema,
  isEnumType,
  isListType,
  isScalarType,
  Kind,
  parse,
  validate,
} from 'graphql';
import { database } from '../fake-stash/database';
import { withDeprecatedInputs } from '../fake-stash/introspection';
import { isRecord } from '../fake-stash/variables';
import { findOperation, stopOperation } from '../../src/jobs/documents';
import { bareRecord } from '../../src/jobs/job-records';
import { StashError } from '../../src/errors';
import { type CheckedDocument, checkDocument } from '../../src/graphql/checked-document';
import type {
  BuildOperation,
  Lookup,
  Operation,
  OperationRequest,
  SendThrottled,
} from '../../src/graphql/operation';
import { INTROSPECTION, Schema } from '../../src/graphql/schema';
import type { JobStart } from '../../src/jobs/job-start';
import type { JobRecord, StartedJob } from '../../src/records';
import type { Server } from '../../src/server/server';

/** Replaces a server: validates each document against a schema, and responds with made-up values. */
export class CheckedServer {
  readonly url = 'http://localhost:9999';
  readonly paths = { toServer: (path: string) => path };
  readonly media = { findFile: () => Promise.resolve(true) };
  readonly client = {
    checkDocument: (text: string): Promise<CheckedDocument> =>
      Promise.resolve(checkDocument(graphql, this.#schema, text)),
    checkReady: () => Promise.resolve(),
  };
  readonly jobs = {
    start: async ({ build, prepare }: JobStart): Promise<StartedJob> => {
      await prepare?.();
      return { id: await this.#answer(build), status: 'STARTED' };
    },
    queue: () => Promise.resolve([this.job]),
    stop: async (job: JobRecord): Promise<JobRecord> => {
      // A made-up job has no ID.
      const read = () => null;
      await this.#answer((schema) => ({ ...findOperation(schema, job.id, String), read }));
      await this.#answer(() => stopOperation(job.id));
      return { ...job, status: 'STOPPING' };
    },
    giveUp: () => [],
    followLog: () => () => undefined,
    pause: { pending: { waiting: 0 } },
  };
  readonly #schema: GraphQLSchema;
  readonly #offered: Schema;

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
    const version = { version: 'text' };
    const answer = execute({
      schema,
      document: withDeprecatedInputs(parse(INTROSPECTION)),
      rootValue: { version },
    });
    assert.ok(isRecord(answer) && isRecord(answer['data']), JSON.stringify(answer));
    this.#offered = Schema.read(answer['data']);
  }

  get asServer(): Server {
    return this as unknown as Server;
  }

  request<Result>({ build }: OperationRequest<Result>): Promise<Result> {
    return this.#answer(build);
  }

  lookUp<Result>(_: Lookup, task: (ask: SendThrottled) => Promise<Result>): Promise<Result> {
    return task((ask) => this.#answer(ask));
  }

  /** A running job. */
  get job(): JobRecord {
    const time = '2026-01-11T04:41:59Z';
    const record = bareRecord({ id: '1', status: 'RUNNING', description: 'text' });
    return { ...record, added: time, start: time };
  }

  /** Whether the server is older than the oldest supported release. */
  get isTooOld(): boolean {
    return this.#offered.isTooOld;
  }

  /** Whether the schema has the time at which an item was added to the library. */
  get tellsWhen(): boolean {
    return this.#offered.has('Scene', 'created_at');
  }

  downloadName(): string {
    return 'text';
  }

  redact(text: string): string {
    return text;
  }

  /** Gives the sink an empty database. */
  download({ sink }: Parameters<Server['download']>[0]): Promise<number> {
    const content = database();
    void sink.begin(content.length);
    void sink.take(content);
    return Promise.resolve(content.length);
  }

  #answer<Result>(ask: BuildOperation<Result>): Promise<Result> {
    return new Promise((resolve) => {
      const operation = ask(this.#offered);
      const { document, variables = {}, rootField, isWhole, read } = operation;
      this.check(operation);
      const answer = execute({
        schema: this.#schema,
        document: parse(document),
        variableValues: variables,
        fieldResolver: (_source, _variables, _context, { returnType, fieldName }) =>
          madeUp(returnType, fieldName),
        typeResolver: (_value, _context, { schema }, type) => schema.getPossibleTypes(type)[0]?.name,
      });
      assert.ok(isRecord(answer) && isRecord(answer['data']), `${document}: ${JSON.stringify(answer)}`);
      resolve(read(isWhole ? answer['data'] : answer['data'][rootField]));
    });
  }

  /** Returns whether the schema supports a source. */
  knows(source: string): boolean {
    return (
      source === '' ||
      !this.#offered.has('Query', 'scrapeSite') ||
      this.#offered.has('Query', 'scrapeSinglePerformer')
    );
  }

  check({ document, variables = {} }: Pick<Operation<unknown>, 'document' | 'variables'>): void {
    const parsed = parse(document);
    const refused = validate(this.#schema, parsed).map(({ message }) => message);
    assert.deepEqual(refused, [], document);
    for (const definition of parsed.definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
      const { errors = [] } = getVariableValues(
        this.#schema,
        definition.variableDefinitions ?? [],
        variables,
      );
      assert.deepEqual(
        errors.map(({ message }) => message),
        [],
        `${document} ${JSON.stringify(variables)}`,
      );
    }
  }

  /**
   * Checks that an option is refused only if the schema lacks it: it is never sent then, and never dropped.
   * @param also what else not every server has, such as the option's operation.
   */
  async understands(option: string, request: Promise<unknown>, ...also: string[]): Promise<void> {
    const error = await request.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined) return;
    assert.ok(error instanceof StashError, JSON.stringify(error));
    assert.equal(error.code, 'UNSUPPORTED', error.message);
    // An operation accepts paths only if the server also lists its library folders.
    const lacking = String(error.details['name']);
    assert.ok([option, ...also, 'configuration.general.stashes'].includes(lacking), `${option}: ${lacking}`);
    const types =
      option === 'paths' ? [] : ['ScanMetadataInput', 'GenerateMetadataInput', 'Mutation', 'Query'];
    // Servers before v0.24 have this field, but die of it.
    if (option === 'markerIDs' && !this.#offered.has('SystemStatus', 'os')) return;
    for (const type of types) assert.ok(!this.#offered.has(type, lacking), `${type} has ${lacking}`);
  }
}

/** Returns a value of a type: lists have one element, texts are "text", and the path of a library folder is the root. */
function madeUp(type: GraphQLOutputType, field: string): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [madeUp(nullable.ofType, field)];
  if (isEnumType(nullable)) return nullable.getValues()[0]?.value;
  if (!isScalarType(nullable)) return {};
  if (field === 'path') return '/';
  return (
    { Int: 1, Int64: 1, Float: 1, Boolean: true, Time: '2026-01-11T04:41:59Z', Map: {} }[nullable.name] ??
    'text'
  );
}

/** Returns all ways to choose at least one field. */
export function selections<T>(fields: readonly T[]): T[][] {
  return Array.from({ length: 2 ** fields.length - 1 }, (_, index) =>
    fields.filter((_field, bit) => ((index + 1) >> bit) & 1),
  );
}
