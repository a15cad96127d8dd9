import { type DocumentNode, GraphQLError, Kind, parse } from 'graphql';
import { isRecord } from './variables';

/** The JSON object that a client posts; the interface document has only `query`. */
export interface RequestBody {
  query?: string;
  variables?: Record<string, unknown> | null;
  operationName?: string | null;
}

/** Decodes a body: `null` for a JSON null, or the reason why it cannot be decoded, in the words of v0.27. */
export function decodeBody(body: string): { posted: RequestBody | null } | { reason: string } {
  if (body.trim() === '') return { reason: 'EOF' };
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { reason: `invalid character '${body.trim().charAt(0)}' looking for beginning of value` };
  }
  if (value === null || isRequestBody(value)) return { posted: value };
  const kind = Array.isArray(value) ? 'array' : typeof value;
  return { reason: `json: cannot unmarshal ${kind} into Go value of type graphql.RawParams` };
}

/** Clients send the same texts again and again. */
const documents = new Map<string, DocumentNode | GraphQLError>();
const MOST_DOCUMENTS = 2_000;

/** Parses a document; returns its mistake. */
export function parsed(text: string): DocumentNode | GraphQLError {
  const document = documents.get(text) ?? newlyParsed(text);
  if (documents.size >= MOST_DOCUMENTS) documents.clear();
  documents.set(text, document);
  return document;
}

function newlyParsed(text: string): DocumentNode | GraphQLError {
  try {
    return parse(text);
  } catch (error) {
    // The stack is full: the parser calls itself for each level of braces.
    return error instanceof GraphQLError ? error : new GraphQLError(String(error));
  }
}

/** Returns the names of a body's root fields without their aliases; none if it is not GraphQL. */
export function rootFields(posted: RequestBody | undefined): string[] {
  const document = parsed(posted?.query ?? '');
  if (document instanceof GraphQLError) return [];
  return document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .flatMap((operation) => operation.selectionSet.selections)
    .flatMap((selection) => (selection.kind === Kind.FIELD ? [selection.name.value] : []));
}

/** Whether a JSON value is a GraphQL request. */
export function isRequestBody(value: unknown): value is RequestBody {
  if (!isRecord(value)) return false;
  const { query, variables, operationName } = value;
  return (
    (query === undefined || typeof query === 'string') &&
    (variables === undefined || variables === null || isRecord(variables)) &&
    (operationName === undefined || operationName === null || typeof operationName === 'string')
  );
}
