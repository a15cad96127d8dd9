import { isRecord } from '../guards';
import type { Operation, OperationRequest, StashClient } from '../graphql';

/** A mutation that is about to be sent. */
export interface SentMutation extends Pick<Operation<unknown>, 'document' | 'variables'> {
  /** `data` of the response, once the request has ended; empty if that has failed. */
  answer: Promise<Readonly<Record<string, unknown>>>;
}

type Listener = (mutation: SentMutation) => void;

/** By the address of the server: several config nodes may have the same. */
const listeners = new Map<string, Set<Listener>>();

/**
 * Calls `listener` before each mutation that this Node-RED sends to an address, except those that start jobs.
 * @returns a function that removes it.
 */
export function followMutations(url: string, listener: Listener): () => void {
  const own = listeners.get(url) ?? new Set();
  listeners.set(url, own.add(listener));
  return () => {
    own.delete(listener);
    if (own.size === 0) listeners.delete(url);
  };
}

/** Sends a request of any kind but a query. @throws {StashError} as `StashClient.request`. */
export async function sendMutation<Result>(
  url: string,
  client: StashClient,
  request: OperationRequest<Result>,
): Promise<Result> {
  const own = listeners.get(url);
  if (!own) return await client.request(request);
  let data: unknown;
  let end = () => {};
  const answer = new Promise<Readonly<Record<string, unknown>>>((resolve) => {
    end = () => resolve(isRecord(data) ? data : {});
  });
  const build: typeof request.build = (schema) => {
    const operation = request.build(schema);
    const { document, variables, rootField, isWhole } = operation;
    for (const listener of own) listener({ document, ...(variables && { variables }), answer });
    const read = (value: unknown) => {
      data = isWhole ? value : { [rootField]: value };
      return operation.read(value);
    };
    return { ...operation, read };
  };
  return await client.request({ ...request, build }).finally(end);
}
