import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  buildClientSchema,
  execute,
  getNamedType,
  getNullableType,
  getVariableValues,
  type GraphQLOutputType,
  type GraphQLSchema,
  type IntrospectionQuery,
  isEnumType,
  isListType,
  isObjectType,
  Kind,
  parse,
  validate,
} from 'graphql';
import { database } from '../fake-stash/database';
import { schemaOf } from '../fake-stash/schema';
import { releases } from '../fake-stash/releases';
import { isRecord } from '../fake-stash/variables';
import { Message } from '../support/connect';
import { fetchBackup, leaveBackup } from './inputs';
import { StashError } from '../../src/errors';
import type {
  BuildOperation,
  Lookup,
  Operation,
  OperationRequest,
  SendThrottled,
} from '../../src/graphql/operation';
import { INTROSPECTION, Schema } from '../../src/graphql/schema';
import type { JobStart } from '../../src/jobs/job';
import { backup } from '../../src/operations/backup';
import { generate, generateKinds, generateOptions } from '../../src/operations/generate';
import { newContent } from '../../src/operations/new-content';
import { performerScrapers } from '../../src/operations/performer-scrapers';
import { probe } from '../../src/operations/probe';
import { scan, scanOptions } from '../../src/operations/scan';
import { performerFields, scrapePerformer } from '../../src/operations/scrape-performer';
import { searchPerformers } from '../../src/operations/search-performers';
import { status, statusFields } from '../../src/operations/status';
import { stop } from '../../src/operations/stop';
import { studioFields, studios } from '../../src/operations/studios';
import type { JobRecord, StartedJob } from '../../src/records';
import type { Server } from '../../src/server/server';

/** Schemas of real servers, if there are any to hold the documents against. */
const FOLDER = process.env['STASH_SCHEMAS'];

describe('Every document that this package can send', () => {
  for (const release of releases) suite(release, schemaOf(release).schema);

  if (FOLDER !== undefined) {
    assert.ok(existsSync(FOLDER), `STASH_SCHEMAS names no folder: ${FOLDER}`);
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
    assert.ok(files.length > 0, `STASH_SCHEMAS names a folder without schemas: ${FOLDER}`);
    for (const file of files) suite(`a real ${path.basename(file, '.json')}`, read(path.join(FOLDER, file)));
  }
});

/** Asks everything in every way, of a server with this schema. */
function suite(name: string, schema: GraphQLSchema): void {
  describe(`is understood by ${name}`, () => {
    const call = new Message();
    let server: Checked;

    before(() => {
      server = new Checked(schema);
    });

    it('the question for the schema', () => {
      server.check({ document: INTROSPECTION });
    });

    for (const source of ['', 'localtest']) {
      it(`performer search and scrape, with ${source || 'the built-in scraper'}`, async () => {
        if (!server.knows(source)) return;
        const url = 'https://performers.example/text';
        for (const performer of ['text', { name: 'text', score: 1 }, { name: 'text', url }]) {
          for (const fields of [performerFields, ...performerFields.map((field) => [field])]) {
            const input = { performer, fields, source, listMaxAge: 0 };
            const scraped = await scrapePerformer(server.asServer, input, call);
            assert.ok('performer' in scraped);
            assert.deepEqual([...Object.keys(scraped.performer), ...scraped.missing], [...fields]);
          }
        }
        const { matches } = await searchPerformers(server.asServer, { query: 'text', source }, call);
        assert.equal(matches[0]?.name, 'text');
      });
    }

    it("the list of the server's scrapers", async () => {
      assert.ok(Array.isArray(await performerScrapers(server.asServer, call)));
    });

    it('studios, with any selection', async () => {
      for (const fields of selections(studioFields)) {
        const { studios: found, missing } = await studios(server.asServer, { fields }, call);
        assert.deepEqual([Object.keys(found[0] ?? {}), missing], [fields, []]);
      }
    });

    it('status, with any selection', async () => {
      for (const fields of selections(statusFields)) {
        const { status: found, missing } = await status(server.asServer, { fields }, call);
        assert.deepEqual([...Object.keys(found), ...missing].sort(), [...fields].sort());
      }
    });

    it('the Test button', async () => {
      assert.equal((await probe(server.asServer, call)).version, 'text');
    });

    it('backup, downloaded or not', async () => {
      await server.understands('backupDatabase', backup(server.asServer, leaveBackup, call));
      await server.understands('backupDatabase', backup(server.asServer, fetchBackup, call));
    });

    it('scan, with any option and with paths', async () => {
      await scan(server.asServer, { paths: null, options: [] }, call);
      await server.understands('paths', scan(server.asServer, { paths: ['/text'], options: [] }, call));
      for (const option of scanOptions) {
        await server.understands(option, scan(server.asServer, { paths: null, options: [option] }, call));
      }
    });

    it('generate, with any kind and option, with paths and scenes', async () => {
      const all = { kinds: ['sprites'], options: [], paths: null, sceneIDs: null } as const;
      const ask = (input: Partial<Parameters<typeof generate>[1]>) =>
        generate(server.asServer, { ...all, ...input }, call);
      for (const kind of generateKinds) await server.understands(kind, ask({ kinds: [kind] }));
      for (const option of generateOptions) await server.understands(option, ask({ options: [option] }));
      await server.understands('sceneIDs', ask({ sceneIDs: ['1', '2'] }));
      await server.understands('paths', ask({ paths: ['/text'] }));
    });

    it('what a scan has found, of every kind or of none', async () => {
      const time = '2026-01-11T04:41:59Z';
      const found = await newContent(server.asServer, { start: time, end: time }, null, 5, call);
      const all = server.tellsWhen ? ['scenes', 'images', 'galleries'] : [];
      assert.deepEqual(Object.keys(found), all);
    });

    it('stop, one job or all', async () => {
      for (const job of [server.job, null]) {
        const { stopped } = await stop(server.asServer, { job }, call);
        assert.deepEqual(stopped, [{ ...server.job, status: 'STOPPING' }]);
      }
    });
  });
}

/** Takes the place of a server: holds each question against a schema, and answers with made-up values. */
class Checked {
  readonly url = 'http://localhost:9999';
  readonly #schema: GraphQLSchema;
  readonly #told: Schema;

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
    const version = { version: 'text' };
    const answer = execute({ schema, document: parse(INTROSPECTION), rootValue: { version } });
    assert.ok(isRecord(answer) && isRecord(answer['data']), JSON.stringify(answer));
    this.#told = Schema.read(answer['data']);
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

  async startJob({ build }: JobStart): Promise<StartedJob> {
    return { id: await this.#answer(build), status: 'STARTED' };
  }

  jobQueue(): Promise<JobRecord[]> {
    return Promise.resolve([this.job]);
  }

  /** A job that runs. */
  get job(): JobRecord {
    const time = '2026-01-11T04:41:59Z';
    return {
      id: this.#told.has('Mutation', 'stopAllJobs') ? '1' : null,
      status: 'RUNNING',
      description: 'text',
      added: time,
      start: time,
      end: null,
      seconds: null,
      error: null,
      problems: null,
      problemCount: null,
      problemsBy: 'time',
    };
  }

  /** Whether it tells when something came into the library. */
  get tellsWhen(): boolean {
    return this.#told.has('Scene', 'created_at');
  }

  downloadName(): string {
    return 'text';
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
      const question = ask(this.#told);
      this.check(question);
      const field = this.#schema.getQueryType()?.getFields()[question.rootField];
      const mutation = this.#schema.getMutationType()?.getFields()[question.rootField];
      const type = (field ?? mutation)?.type;
      assert.ok(type, question.rootField);
      resolve(question.read(madeUp(type, 0)));
    });
  }

  /** Whether a source can be chosen at all. */
  knows(source: string): boolean {
    return (
      source === '' ||
      !this.#told.has('Query', 'scrapeSite') ||
      this.#told.has('Query', 'scrapeSinglePerformer')
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

  /** Checks that a wish is refused just where the schema nowhere has it: never sent, never passed over. */
  async understands(wish: string, asked: Promise<unknown>): Promise<void> {
    const error = await asked.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined) return;
    assert.ok(error instanceof StashError, JSON.stringify(error));
    assert.equal(error.code, 'UNSUPPORTED');
    // A path can only be asked for where it can be looked up before.
    assert.ok([wish, 'configuration.general.stashes'].includes(String(error.details['name'])), wish);
    const types = wish === 'paths' ? [] : ['ScanMetadataInput', 'GenerateMetadataInput', 'Mutation'];
    for (const type of types) assert.ok(!this.#told.has(type, wish), `${type} has ${wish}`);
  }
}

/** A value of a type: lists hold one, and every text is "text", a path to the root of a library too. */
function madeUp(type: GraphQLOutputType, depth: number): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [madeUp(nullable.ofType, depth)];
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name;
  if (isObjectType(nullable)) {
    if (depth > 3) return null;
    const fields = Object.values(nullable.getFields());
    return Object.fromEntries(
      fields.map((field) => [field.name, field.name === 'path' ? '/' : madeUp(field.type, depth + 1)]),
    );
  }
  return (
    { Int: 1, Float: 1, Boolean: true, Time: '2026-01-11T04:41:59Z' }[getNamedType(nullable).name] ?? 'text'
  );
}

/** All ways to choose at least one. */
function selections<T>(fields: readonly T[]): T[][] {
  return Array.from({ length: 2 ** fields.length - 1 }, (_, index) =>
    fields.filter((_field, bit) => ((index + 1) >> bit) & 1),
  );
}

function read(file: string): GraphQLSchema {
  const { data } = JSON.parse(readFileSync(file, 'utf8')) as { data: IntrospectionQuery };
  // Some real schemas deprecate what must be given, which graphql-js takes for a mistake.
  return buildClientSchema(data, { assumeValid: true });
}
