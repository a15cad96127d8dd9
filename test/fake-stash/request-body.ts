import { Kind, parse } from 'graphql';
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

/** Returns the names of a body's root fields without their aliases; none if it is not GraphQL. */
export function rootFields(posted: RequestBody | undefined): string[] {
  try {
    return parse(posted?.query ?? '')
      .definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
      .flatMap((operation) => operation.selectionSet.selections)
      .flatMap((selection) => (selection.kind === Kind.FIELD ? [selection.name.value] : []));
  } catch {
    return [];
  }
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
