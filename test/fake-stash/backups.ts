import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, text } from './answers';
import { archive, filesOf } from './archive';
import type { Clock } from './clock';
import { database } from './database';
import { type ServedFile, serveFile } from './served-file';

interface Link extends ServedFile {
  /** When it expires, in milliseconds of the server's clock; Infinity until the first request. */
  until: number;
  /** How many downloads are running; it does not expire meanwhile. */
  fetching: number;
}

const MILLISECONDS_AFTER_FIRST_FETCH = 30_000;

/** What backups need from the server. */
interface BackupEnvironment {
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Makes backups and serves their links. */
export class Backups {
  /** The content of the next backup, by default a small sound database. */
  content: Buffer = database();
  /** What the next backup is instead, whatever was asked for. */
  answers: Buffer | undefined;
  /** Where the server keeps its pictures. */
  blobsStorage: 'DATABASE' | 'FILESYSTEM' = 'FILESYSTEM';
  /** The file name of the database, which the link contains unescaped. */
  databaseName = 'stash-go.sqlite';

  readonly #stored = new Set<string>();
  readonly #links = new Map<string, Link>();
  readonly #environment: BackupEnvironment;

  constructor(surroundings: BackupEnvironment) {
    this.#environment = surroundings;
  }

  /**
   * Makes a backup that stays on the server.
   * @throws if one was made in the same second, because both have the same name.
   */
  async store(schema: number): Promise<void> {
    const name = this.#fileName(schema);
    if (this.#stored.has(name)) throw new Error('vacuum failed: output file already exists');
    this.#stored.add(name);
    await this.#wait();
  }

  /**
   * Makes a backup for download. Returns the path of its link.
   * @param includesBlobs whether to add the pictures, which makes it an archive if they are files beside the database.
   */
  async stage(schema: number, includesBlobs = false): Promise<string> {
    const isArchive = includesBlobs && this.blobsStorage === 'FILESYSTEM';
    const name = this.#fileName(schema) + (isArchive ? '.zip' : '');
    await this.#wait();
    const hash = randomBytes(4).toString('hex');
    const madeAt = new Date(this.#environment.clock.milliseconds());
    const content = this.answers ?? (isArchive ? archive({ files: filesOf(this.content) }) : this.content);
    this.#links.set(hash, { content, madeAt, until: Infinity, fetching: 0 });
    return `/downloads/${hash}/${name}`;
  }

  /** Answers a request for a link. Only the hash in it counts. */
  answer(request: IncomingMessage, path: string, gone: AbortSignal): Answer {
    const { clock } = this.#environment;
    const [, hash = ''] = /^\/downloads\/([^/]+)\/[^/]+\/?$/.exec(path) ?? [];
    if (hash !== '' && request.method !== 'GET') return { status: 405, headers: {}, body: '' };
    const link = this.#links.get(hash);
    if (link && link.fetching === 0 && clock.milliseconds() > link.until) this.#links.delete(hash);
    else if (link) {
      link.until = Math.min(link.until, clock.milliseconds() + MILLISECONDS_AFTER_FIRST_FETCH);
      link.fetching += 1;
      gone.addEventListener('abort', () => {
        link.fetching -= 1;
      });
      return serveFile(link, request.headers);
    }
    return text(404, '404 page not found\n');
  }

  async #wait(): Promise<void> {
    const { seconds, signal } = this.#environment;
    if (seconds > 0) await sleep(seconds * 1000, undefined, { signal });
  }

  #fileName(schema: number): string {
    return `${this.databaseName}.${schema}.${this.#environment.clock.digits()}`;
  }
}
