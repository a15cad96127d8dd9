import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, text } from './answers';
import { emptyDatabase } from './database';

interface Link {
  content: Buffer;
  madeAt: Date;
  firstFetchedAt?: number;
}

// A link can be fetched again and again, but not for long after the first time.
const MILLISECONDS_AFTER_FIRST_FETCH = 30_000;

/** Makes backups, and serves those that are to be downloaded. */
export class Backups {
  /** What the next backup holds: a whole small database, unless a test puts something else here. */
  content: Buffer = emptyDatabase();

  readonly #stored = new Set<string>();
  readonly #links = new Map<string, Link>();
  readonly #pace: { seconds: number; signal: AbortSignal };

  constructor(pace: { seconds: number; signal: AbortSignal }) {
    this.#pace = pace;
  }

  /** Keeps a backup on the server. Two within one second would have the same name: the second fails. */
  async store(schema: number): Promise<void> {
    const name = fileName(schema);
    if (this.#stored.has(name)) throw new Error('vacuum failed: output file already exists');
    this.#stored.add(name);
    await this.#wait();
  }

  /** Makes a backup for download, and gives the path of its link. */
  async stage(schema: number): Promise<string> {
    const name = fileName(schema);
    await this.#wait();
    const hash = randomBytes(4).toString('hex');
    this.#links.set(hash, { content: this.content, madeAt: new Date() });
    return `/downloads/${hash}/${name}`;
  }

  /** Answers a request for a link; only its hash counts, the name may be any. */
  answer(request: IncomingMessage, path: string): Answer {
    const hash = /^\/downloads\/([0-9a-f]{8})\/[^/]+$/.exec(path)?.[1];
    const link = this.#links.get(hash ?? '');
    if (!link || hasExpired(link)) return text(404, '404 page not found\n');
    if (request.method !== 'GET') return { status: 405, headers: { Allow: 'GET' }, body: '' };
    link.firstFetchedAt ??= Date.now();
    return part(link, request.headers.range);
  }

  async #wait(): Promise<void> {
    const { seconds, signal } = this.#pace;
    if (seconds > 0) await sleep(seconds * 1000, undefined, { signal });
  }
}

// No Content-Disposition and no compression, on every release that can make a backup.
function part({ content, madeAt }: Link, range = ''): Answer {
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Accept-Ranges': 'bytes',
    'Last-Modified': madeAt.toUTCString(),
    'Cache-Control': 'no-store',
  };
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  if (first === '' && last === '') return { status: 200, headers, body: content };
  const start = first === '' ? Math.max(0, content.length - Number(last)) : Number(first);
  const end = first === '' || last === '' ? content.length - 1 : Math.min(Number(last), content.length - 1);
  if (start > end) {
    const refusal = text(416, 'invalid range: failed to overlap\n');
    return { ...refusal, headers: { ...refusal.headers, 'Content-Range': `bytes */${content.length}` } };
  }
  return {
    status: 206,
    headers: { ...headers, 'Content-Range': `bytes ${start}-${end}/${content.length}` },
    body: content.subarray(start, end + 1),
  };
}

function hasExpired({ firstFetchedAt = Infinity }: Link): boolean {
  return Date.now() > firstFetchedAt + MILLISECONDS_AFTER_FIRST_FETCH;
}

// <database name>.<schema>.<yyyymmdd_hhmmss>, in the server's local time.
function fileName(schema: number): string {
  const time = new Date();
  const date = [time.getFullYear(), time.getMonth() + 1, time.getDate()];
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()];
  const digits = (numbers: number[]) => numbers.map((number) => String(number).padStart(2, '0')).join('');
  return `stash-go.sqlite.${schema}.${digits(date)}_${digits(clock)}`;
}
