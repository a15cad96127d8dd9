import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { decodeBody, type RequestBody, rootFields } from './request-body';

/** A request and its outcome; times as of `performance.now()`. */
export interface RecordedRequest {
  readonly method: string;
  /** As sent: with the base path and the parameters. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The posted JSON object. */
  readonly body: RequestBody | undefined;
  /** The first root field, e.g. `metadataScan`. */
  readonly operation: string | undefined;
  readonly startedAt: number;
  /** Infinity while the request runs. */
  endedAt: number;
  /** Undefined without a response. */
  status: number | undefined;
}

/** Begins the record of a request, which is completed when the response is sent or the connection is cut. */
export function record(
  { method = '', url = '', headers }: IncomingMessage,
  response: ServerResponse,
  text: string,
): RecordedRequest {
  const decoded = decodeBody(text);
  const body = 'posted' in decoded ? (decoded.posted ?? undefined) : undefined;
  const entry: RecordedRequest = {
    method,
    path: url,
    headers: { ...headers },
    body,
    operation: rootFields(body)[0],
    startedAt: performance.now(),
    endedAt: Infinity,
    status: undefined,
  };
  const complete = () => {
    entry.endedAt = Math.min(entry.endedAt, performance.now());
    if (response.headersSent) entry.status = response.statusCode;
  };
  response.once('finish', complete).once('close', complete);
  return entry;
}
