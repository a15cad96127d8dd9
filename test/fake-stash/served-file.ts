import type { IncomingHttpHeaders } from 'node:http';
import { type Answer, text } from './answers';

/** A file to serve; its content is not copied for a response. */
export interface ServedFile {
  readonly content: Buffer;
  readonly madeAt: Date;
  /** Its media type, if its name tells it. */
  readonly type?: string;
}

/** Answers a GET for a file like Go's `http.ServeFile`: whole, or one range of it. */
export function serveFile(
  { content, madeAt, type = 'application/octet-stream' }: ServedFile,
  { range = '', 'if-range': version = '' }: IncomingHttpHeaders,
): Answer {
  const size = content.length;
  const headers = {
    'Last-Modified': madeAt.toUTCString(),
    'Content-Type': type,
    'Accept-Ranges': 'bytes',
  };
  // It has no ETag, so only the time of the file can fit.
  const isOther = version !== '' && version !== headers['Last-Modified'];
  if (range === '' || isOther) return { status: 200, headers, body: content };
  const [, first = '', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? [];
  if (first === '') return text(416, 'invalid range\n');
  const [start, end] = [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
  if (start > end) {
    const refusal = text(416, 'invalid range: failed to overlap\n');
    return { ...refusal, headers: { ...refusal.headers, 'Content-Range': `bytes */${size}` } };
  }
  return {
    status: 206,
    headers: { ...headers, 'Content-Range': `bytes ${start}-${end}/${size}` },
    body: content.subarray(start, end + 1),
  };
}
