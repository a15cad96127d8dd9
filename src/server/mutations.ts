import { isRecord } from '../guards';
import type { Operation, OperationRequest, StashClient } from '../graphql';

/** A mutation that is about to be sent. */
export interface SentMutation extends Pick<Operation<unknown>, 'document' | 'variables'> {
  /** `data` of the response, once the request has ended; empty if that has failed. */
  answer: Promise<Readonly<Record<string, unknown>>>;
}

/** The mutations that this Node-RED sends to an address, except those that start jobs. */
export class Mutations {
  static readonly #byUrl = new Map<string, Mutations>();
  readonly #listeners = new Set<(mutation: SentMutation) => void>();

  static of(url: string): Mutations {
    const existing = Mutations.#byUrl.get(url);
    if (existing) return existing;
    const mutations = new Mutations();
    Mutations.#byUrl.set(url, mutations);
    return mutations;
  }

  /** Calls `listener` before each mutation is sent. @returns a function that removes it. */
  follow(listener: (mutation: SentMutation) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sends a request of any kind but a query. @throws {StashError} as `StashClient.request`. */
  async request<Result>(client: StashClient, request: OperationRequest<Result>): Promise<Result> {
    if (this.#listeners.size === 0) return await client.request(request);
    let data: unknown;
    let end = () => {};
    const answer = new Promise<Readonly<Record<string, unknown>>>((resolve) => {
      end = () => resolve(isRecord(data) ? data : {});
    });
    const build: typeof request.build = (schema) => {
      const operation = request.build(schema);
      const { document, variables, rootField, isWhole } = operation;
      for (const listener of this.#listeners) listener({ document, ...(variables && { variables }), answer });
      const read = (value: unknown) => {
        data = isWhole ? value : { [rootField]: value };
        return operation.read(value);
      };
      return { ...operation, read };
    };
    return await client.request({ ...request, build }).finally(end);
  }
}
