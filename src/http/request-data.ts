import type { GraphQLClient } from 'graphql-request';
import { yieldToEventLoop } from '../async';
import { type HttpResponse, readData, type Reading } from './response';

export interface GraphQLDocument {
  document: string;
  variables?: Readonly<Record<string, unknown>> | undefined;
}

/** Unused, because `exchange` knows the address; graphql-request requires one. */
const ANY_URL = 'http://localhost';
/** In UTF-16 units. Parsing a longer text takes several milliseconds. */
const LONG_TEXT = 1_000_000;
/** Created with the first message: the first `Headers` makes Node.js load its `fetch`, which takes 9 MB. */
let jsonHeaders: Headers | undefined;

/**
 * Sends a document through graphql-request and returns the `data` of the response.
 * @param exchange sends the body of a request, and throws for a response that is not JSON.
 * @throws {StashError} for every response without data or with errors.
 * @throws what `exchange` throws.
 */
export async function requestData(
  Client: typeof GraphQLClient,
  { document, variables }: GraphQLDocument,
  exchange: (body: string) => Promise<HttpResponse>,
  reading: Reading,
): Promise<Readonly<Record<string, unknown>>> {
  let status = 0;
  let isLong = false as boolean;
  const headers = (jsonHeaders ??= new Headers({ 'content-type': 'application/json' }));
  const fetch = async (_url: unknown, init?: { body?: unknown }) => {
    const response = await exchange(String(init?.body));
    status = response.status;
    isLong = response.text.length > LONG_TEXT;
    // Node-RED can do other work before and after a long text is parsed.
    if (isLong) await yieldToEventLoop();
    // Whatever the status: graphql-request would repeat the whole response in an error of its own.
    return { ok: true, status: 200, headers, text: () => Promise.resolve(response.text) };
  };
  const parse = (text: string) => ({ data: readData({ status, text }, reading) });
  const client = new Client(ANY_URL, {
    fetch: fetch as typeof globalThis.fetch,
    // Without an operation name graphql-request need not parse the document.
    excludeOperationName: true,
    jsonSerializer: { parse, stringify: JSON.stringify },
  });
  const { data } = await client.rawRequest<Readonly<Record<string, unknown>>>(
    document,
    ...(variables === undefined ? [] : [variables]),
  );
  if (isLong) await yieldToEventLoop();
  return data;
}
