import { StashError } from '../errors';
import type { Operation } from './operation';

/** Whether an outdated cached schema may have caused an error. */
export function suggestsOldSchema(error: unknown): boolean {
  return error instanceof StashError && (error.code === 'UNSUPPORTED' || error.case === 'GRAPHQL.refused');
}

/** Whether no request of the same kind can succeed on this release: it lacks something, or answers in an unknown form. */
export function isIncompatible(error: unknown): boolean {
  return suggestsOldSchema(error) || (error instanceof StashError && error.case === 'GRAPHQL.form');
}

/** Whether a server that rejected one operation also rejects the other. */
export function isSameOperation(
  one: Operation<unknown> | undefined,
  { document, variables }: Operation<unknown>,
): boolean {
  return one?.document === document && JSON.stringify(one.variables) === JSON.stringify(variables);
}

/** Whether an error means that the server, or the proxy in front of it, is unreachable. */
export function isUnreachable(error: unknown): error is StashError {
  // A library that cannot be loaded says nothing about the server.
  if (!(error instanceof StashError) || error.case === 'UNREACHABLE.notLoaded') return false;
  return error.code === 'UNREACHABLE' || [502, 503, 504].includes(error.status ?? 0);
}

/** Whether an error means that the server offers no introspection. Any other failure says nothing about the schema. */
export function refusesIntrospection(error: unknown): boolean {
  if (!(error instanceof StashError)) return false;
  return error.code === 'GRAPHQL' && /introspection|\b__[a-z]/i.test(String(error.details['text']));
}

/** Returns what an error means for a mutation that was sent: unless the server says so, it is unknown whether it ran. */
export function mutationError(error: StashError): StashError {
  const { case: which, details, status } = error;
  const { seconds = 0, name = '', release = '' } = details;
  if (error.code === 'UNREACHABLE') return new StashError('OUTCOME_UNKNOWN.lost');
  if (which === 'GRAPHQL.form') return new StashError('OUTCOME_UNKNOWN.form', { details: { name, release } });
  if (error.code === 'TIMEOUT') return new StashError('OUTCOME_UNKNOWN.noAnswer', { details: { seconds } });
  // 524 is Cloudflare's for a server that works on, but not fast enough.
  if (status === 502 || status === 504 || status === 524) {
    return new StashError('OUTCOME_UNKNOWN.gateway', { status, details: { status } });
  }
  // A server in the wrong state has run nothing, nor has one that could not fetch what it needed.
  if (error.code === 'SERVER_STATE' || error.code === 'SITE_REFUSED') return error;
  // Nothing proves that the mutation did not run, so the message may not be sent again.
  return error.retry ? new StashError(error.case, { status: status ?? undefined, details }) : error;
}
