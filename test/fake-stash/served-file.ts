import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Answer, text } from './answers';

/** A file to serve; its content is not copied for a response. */
export interface ServedFile {
  readonly content: Buffer;
  readonly madeAt: Date;
  /** Its media type, if its name tells it. */
  readonly type?: string;
}

interface Part {
  start: number;
  length: number;
}

/** Answers a GET for a file like Go's `http.ServeFile`: whole, one range, several ranges, or not modified. */
export function serveFile(
  { content, madeAt, type: known }: ServedFile,
  headers: IncomingHttpHeaders,
): Answer {
  const dated = { 'Last-Modified': madeAt.toUTCString() };
  if (wholeSeconds(madeAt) > timeOf(headers['if-unmodified-since'])) {
    return { status: 412, headers: dated, body: '' };
  }
  if (wholeSeconds(madeAt) <= timeOf(headers['if-modified-since'])) {
    return { status: 304, headers: dated, body: '' };
  }

  const size = content.length;
  const parts = isSameFile(headers['if-range'], madeAt) ? partsOf(headers.range ?? '', size) : [];
  if (parts === undefined) return text(416, 'invalid range\n');
  if (parts === 'outside') {
    const refusal = text(416, 'invalid range: failed to overlap\n');
    return { ...refusal, headers: { ...refusal.headers, 'Content-Range': `bytes */${size}` } };
  }

  const type =
    known ??
    (content.toString('latin1', 0, 4) === 'PK\x03\x04' ? 'application/zip' : 'application/octet-stream');
  const common = { ...dated, 'Content-Type': type, 'Accept-Ranges': 'bytes' };
  const [part, another] = parts;
  // Go treats ranges that exceed the file as an attack, and sends the whole file.
  if (!part || parts.reduce((sum, { length }) => sum + length, 0) > size) {
    return { status: 200, headers: common, body: content };
  }
  if (another) return several(parts, content, common);
  return {
    status: 206,
    headers: { ...common, 'Content-Range': contentRange(part, size) },
    body: content.subarray(part.start, part.start + part.length),
  };
}

function several(parts: readonly Part[], content: Buffer, headers: { 'Content-Type': string }): Answer {
  const boundary = randomBytes(30).toString('hex');
  const pieces = parts.flatMap((part, index) => [
    Buffer.from(
      `${index === 0 ? '' : '\r\n'}--${boundary}\r\n` +
        `Content-Range: ${contentRange(part, content.length)}\r\n` +
        `Content-Type: ${headers['Content-Type']}\r\n\r\n`,
    ),
    content.subarray(part.start, part.start + part.length),
  ]);
  return {
    status: 206,
    headers: { ...headers, 'Content-Type': `multipart/byteranges; boundary=${boundary}` },
    body: Buffer.concat([...pieces, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}

// Returns no parts for the whole file, and undefined for a malformed range.
function partsOf(range: string, size: number): Part[] | 'outside' | undefined {
  if (range === '') return [];
  if (!range.startsWith('bytes=')) return undefined;
  const requested = range
    .slice('bytes='.length)
    .split(',')
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
  const parts: Part[] = [];
  for (const piece of requested) {
    const [, first = '', last = ''] = /^(\d*)\s*-\s*(\d*)$/.exec(piece) ?? [];
    if (first === '' && last === '') return undefined;
    const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
    const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
    if (first !== '' && last !== '' && Number(last) < start) return undefined;
    if (first === '' || start < size) parts.push({ start, length: end - start + 1 });
  }
  // Any part of an empty file is the empty file.
  return requested.length > 0 && parts.length === 0 && size > 0 ? 'outside' : parts;
}

function contentRange({ start, length }: Part, size: number): string {
  return `bytes ${start}-${start + length - 1}/${size}`;
}

// Stash sends no entity tags, so a given tag belongs to another file.
function isSameFile(condition: string | string[] | undefined, madeAt: Date): boolean {
  return condition === undefined || timeOf(condition) === wholeSeconds(madeAt);
}

// Returns NaN if the header is not a time: neither before nor after any other.
function timeOf(header: string | string[] | undefined): number {
  return Date.parse(String(header));
}

function wholeSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000) * 1000;
}
