import type { IncomingMessage } from 'node:http';
import {
  type DocumentNode,
  execute,
  getOperationAST,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  OperationTypeNode,
  validate,
} from 'graphql';
import { type Answer, json, text } from './answers';
import { rulesOf, withDeprecatedInputs } from './introspection';
import { decodeBody, parsed, type RequestBody, rootFields } from './request-body';
import type { Quirks } from './quirks';
import { variableProblem } from './variables';

/** A schema, and the functions that execute it. */
export interface Service {
  quirks: Quirks;
  schema: GraphQLSchema;
  rootValue: unknown;
  contextValue: unknown;
  /** Receives the root fields of each query that was executed. */
  queried: (fields: readonly string[]) => void;
  /** Receives the error of a resolver, if the release logs such errors. */
  failed: (message: string) => void;
  /** Listens to the events of a subscription's root field. Each event is the root value of an execution. */
  listen: (field: string, listener: (event: unknown) => void, signal: AbortSignal) => void;
  /** Aborted when the client disconnects. */
  gone: AbortSignal;
}

const JSON_TYPE = 'application/json';

export type Refusal = Pick<GraphQLFormattedError, 'message' | 'extensions' | 'locations' | 'path'>;

/** Answers one request to `/graphql`, with the statuses and media types of its release. */
export async function answerGraphql(
  request: IncomingMessage,
  body: string,
  service: Service,
): Promise<Answer> {
  const { negotiates, repeatsBody } = service.quirks;
  const type = negotiates ? answerType(request.headers.accept) : JSON_TYPE;
  if (request.method !== 'POST' || !isJson(request.headers['content-type'])) {
    // Stash labels this JSON as text.
    return text(400, JSON.stringify({ errors: [{ message: 'transport not supported' }], data: null }));
  }
  const decoded = decodeBody(body);
  if ('reason' in decoded) {
    const message = repeatsBody
      ? `json request body could not be decoded: ${decoded.reason} body:${body}`
      : `json body could not be decoded: ${decoded.reason}`;
    return refuse([{ message }], 400, type);
  }
  if (decoded.posted === null) return refuse([{ message: 'Internal system error. Error <nil>' }], 422, type);
  return await answer(decoded.posted, service, type);
}

async function answer(posted: RequestBody, service: Service, type: string): Promise<Answer> {
  const prepared = prepare(posted, service);
  if ('errors' in prepared) {
    return refuse(prepared.errors, prepared.answered ? 200 : type === JSON_TYPE ? 422 : 400, type);
  }
  return json(await prepared.run(service.rootValue), 200, type);
}

/** A valid operation from a request or a socket, ready to execute. */
export interface Prepared {
  kind: OperationTypeNode;
  /** The name of its first root field. */
  field: string;
  /** Executes the operation, or the selection of a subscription on an event. */
  run: (rootValue: unknown) => Promise<Result>;
}

/** The reason why nothing can be executed. */
export interface Unprepared {
  errors: Refusal[];
  /** Whether the response has the status 200, as if the operation had been executed. */
  answered?: boolean;
}

export interface Result {
  errors?: Refusal[];
  data: unknown;
}

/** Validates an operation and its variables. */
export function prepare(posted: RequestBody, service: Service): Prepared | Unprepared {
  const { quirks, schema, contextValue } = service;
  const invalid = (errors: Refusal[], code = 'GRAPHQL_VALIDATION_FAILED'): Unprepared => ({
    errors: errors.map((error) => ({ ...error, extensions: { code } })),
  });
  const { query = '', operationName = null, variables } = posted;
  const notFound = (): Unprepared => {
    const message = `operation ${operationName ?? ''} not found`;
    return quirks.refusesNoOperation ? invalid([{ message }]) : { errors: [{ message }], answered: true };
  };
  if (query.trim() === '') {
    return quirks.refusesNoOperation ? invalid([{ message: 'no operation provided' }]) : notFound();
  }
  const document = parsed(query);
  if (document instanceof GraphQLError) return invalid([located(document)], 'GRAPHQL_PARSE_FAILED');
  const known = knownOf(schema, document, quirks);
  if (known.errors.length > 0) return invalid(known.errors.map(located));

  const operation = getOperationAST(document, operationName);
  if (!operation) return notFound();
  const problem = variableProblem(schema, operation, variables ?? {}, quirks);
  if (problem) return invalid([problem]);

  return {
    kind: operation.operation,
    field: rootFields({ ...posted, query })[0] ?? '',
    async run(rootValue) {
      if (known.introspection) return known.introspection;
      const result = await execute({
        schema,
        document: withDeprecatedInputs(document),
        rootValue,
        contextValue,
        operationName,
        variableValues: variables ?? {},
      });
      if (!result.errors && isIntrospection(posted)) known.introspection = { data: result.data };
      if (operation.operation === OperationTypeNode.QUERY) service.queried(rootFields({ ...posted, query }));
      // An error of a resolver has a path, but no location and no code, and the status 200.
      const failures = result.errors?.map(({ message, path }): Refusal =>
        path ? { message, path } : { message },
      );
      if (quirks.logsErrors) for (const failure of failures ?? []) service.failed(logged(failure));
      return { ...(failures && { errors: failures }), data: result.data ?? null };
    },
  };
}

/** What all servers with a schema answer to a document. */
interface Known {
  errors: readonly GraphQLError[];
  introspection?: Result;
}

const knownBySchema = new WeakMap<GraphQLSchema, WeakMap<DocumentNode, Known>>();

/** Validates a document once for each schema: hundreds of servers get the same ones. */
function knownOf(schema: GraphQLSchema, document: DocumentNode, quirks: Quirks): Known {
  const documents = knownBySchema.get(schema) ?? new WeakMap<DocumentNode, Known>();
  knownBySchema.set(schema, documents);
  const known = documents.get(document) ?? { errors: validate(schema, document, rulesOf(quirks)) };
  documents.set(document, known);
  return known;
}

/** Whether a request asks for nothing but the schema and the release that has it. */
function isIntrospection(posted: RequestBody): boolean {
  const fields = rootFields(posted);
  const ofSchema = fields.filter((field) => field.startsWith('__'));
  const others = fields.filter((field) => !field.startsWith('__') && field !== 'version');
  return ofSchema.length > 0 && others.length === 0 && Object.keys(posted.variables ?? {}).length === 0;
}

function logged({ message, path = [] }: Refusal): string {
  return `${path.join('.')}: input: ${path.join('.')} ${message}`;
}

function refuse(errors: Refusal[], status: number, type: string): Answer {
  return json({ errors, data: null }, status, type);
}

function located({ message, locations }: GraphQLError): Refusal {
  return { message: message.replace(/^Syntax Error: /, ''), ...(locations && { locations }) };
}

// The first known media type decides; text/html of a browser gets the newer one.
function answerType(accept = JSON_TYPE): string {
  const known = [JSON_TYPE, '*/*', 'application/*', 'application/graphql-response+json'];
  const accepted = accept.split(',').map((part) => part.replace(/;.*/, '').trim().toLowerCase());
  return accepted.find((type) => known.includes(type)) === JSON_TYPE
    ? JSON_TYPE
    : 'application/graphql-response+json';
}

function isJson(contentType = ''): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType);
}
