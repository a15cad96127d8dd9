import type { IncomingMessage } from 'node:http';
import {
  execute,
  getOperationAST,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  OperationTypeNode,
  parse,
  validate,
} from 'graphql';
import { type Answer, json, text } from './answers';
import { rulesOf, withDeprecatedInputs } from './introspection';
import { decode, type Posted } from './posted';
import { target } from './proxy';
import type { Habits } from './releases';
import { variableProblem } from './variables';

/** A schema with what stands behind it. */
export interface Service {
  habits: Habits;
  schema: GraphQLSchema;
  rootValue: unknown;
  contextValue: unknown;
}

const JSON_TYPE = 'application/json';

type Refusal = Pick<GraphQLFormattedError, 'message' | 'extensions' | 'locations' | 'path'>;

/** Answers one request to `/graphql`, with the statuses and media types of its release. */
export async function answerGraphql(
  request: IncomingMessage,
  body: string,
  service: Service,
): Promise<Answer> {
  const { negotiates, repeatsBody } = service.habits;
  const type = negotiates ? answerType(request.headers.accept) : JSON_TYPE;
  if (request.method === 'GET') return answer(fromAddress(request), service, type, true);
  if (request.method !== 'POST' || !isJson(request.headers['content-type'])) {
    // JSON labelled as text: a habit of the real server.
    return text(400, JSON.stringify({ errors: [{ message: 'transport not supported' }], data: null }));
  }
  const decoded = decode(body);
  if ('reason' in decoded) {
    const message = repeatsBody
      ? `json request body could not be decoded: ${decoded.reason} body:${body}`
      : `json body could not be decoded: ${decoded.reason}`;
    return refuse([{ message }], 400, type);
  }
  if (decoded.posted === null) return refuse([{ message: 'Internal system error. Error <nil>' }], 422, type);
  return answer(decoded.posted, service, type, false);
}

async function answer(posted: Posted, service: Service, type: string, readOnly: boolean): Promise<Answer> {
  const { habits, schema, rootValue, contextValue } = service;
  const status = type === JSON_TYPE ? 422 : 400;
  const invalid = (errors: Refusal[], code = 'GRAPHQL_VALIDATION_FAILED') =>
    refuse(
      errors.map((error) => ({ ...error, extensions: { code } })),
      status,
      type,
    );

  const { query = '', operationName = null, variables } = posted;
  const notFound = () => {
    const message = `operation ${operationName ?? ''} not found`;
    return habits.refusesNoOperation ? invalid([{ message }]) : refuse([{ message }], 200, type);
  };
  if (query.trim() === '') {
    return habits.refusesNoOperation ? invalid([{ message: 'no operation provided' }]) : notFound();
  }
  const document = parsed(query);
  if (document instanceof GraphQLError) return invalid([located(document)], 'GRAPHQL_PARSE_FAILED');
  const errors = validate(schema, document, rulesOf(habits));
  if (errors.length > 0) return invalid(errors.map(located));

  const operation = getOperationAST(document, operationName);
  if (!operation) return notFound();
  if (readOnly && operation.operation !== OperationTypeNode.QUERY) {
    return refuse([{ message: 'GET requests only allow query operations' }], 406, type);
  }
  const problem = variableProblem(schema, operation, variables ?? {}, habits);
  if (problem) return invalid([problem]);

  const variableValues = variables ?? {};
  const result = await execute({
    schema,
    document: withDeprecatedInputs(document),
    rootValue,
    contextValue,
    operationName,
    variableValues,
  });
  // An error of a resolver has a path but neither place nor code, and its status is 200.
  const failures = result.errors?.map(({ message, path }): Refusal =>
    path ? { message, path } : { message },
  );
  return json({ ...(failures && { errors: failures }), data: result.data ?? null }, 200, type);
}

function refuse(errors: Refusal[], status: number, type: string): Answer {
  return json({ errors, data: null }, status, type);
}

function parsed(query: string) {
  try {
    return parse(query);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

function located({ message, locations }: GraphQLError): Refusal {
  return { message: message.replace(/^Syntax Error: /, ''), ...(locations && { locations }) };
}

// The first media type that the server knows decides; a browser's text/html gets the newer one.
function answerType(accept = JSON_TYPE): string {
  const known = [JSON_TYPE, '*/*', 'application/*', 'application/graphql-response+json'];
  const asked = accept.split(',').map((part) => part.replace(/;.*/, '').trim().toLowerCase());
  return asked.find((type) => known.includes(type)) === JSON_TYPE
    ? JSON_TYPE
    : 'application/graphql-response+json';
}

function isJson(contentType = ''): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType);
}

// Queries by GET are only for people who try things out, so they go without variables here.
function fromAddress(request: IncomingMessage): Posted {
  return { query: target(request).parameters.get('query') ?? '' };
}
