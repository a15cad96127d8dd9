import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { askedWords, Flow, type FlowOptions, type Message, useFakeStash } from '../../support/flow';
import type { RecordedRequest } from '../../fake-stash/recorded-request';
import type { FakeStash, FakeStashOptions } from '../../fake-stash/fake-stash';
import type { StashError } from '../../../src/errors';
import { timing } from '../../../src/timing';

/** The payload of a message with a backup in a folder. */
export interface Saved {
  path: string;
  filename: string;
  bytes: number;
  sha256: string;
  seconds: number;
  checked: string[];
  pictures: number | null;
  schema: number | null;
  removed?: string[];
}

/** The filter for faults of downloads. */
export const downloads = { path: '/downloads' };

/** The file name that the fake server gives to a backup. */
export const GIVEN_NAME = /^stash-go\.sqlite\.75\.\d{8}_\d{6}$/;

/** Starts a fake server with an empty folder for each test of the suite, and makes backups into the folder. */
export class Backups {
  readonly #stash: () => FakeStash;
  #root = '';
  /** The folder for the backups, an absolute path without links. */
  folder = '';

  constructor(options: FakeStashOptions = {}) {
    this.#stash = useFakeStash(options);
    const { rest } = timing.downloads;
    beforeEach(() => {
      timing.downloads.rest = 0;
      this.#root = realpathSync(mkdtempSync(path.join(tmpdir(), 'node-red-stash-')));
      this.folder = path.join(this.#root, 'backups');
      mkdirSync(this.folder);
    });
    afterEach(() => {
      timing.downloads.rest = rest;
      rmSync(this.#root, { recursive: true });
    });
  }

  get stash(): FakeStash {
    return this.#stash();
  }

  /** Returns the options of a flow whose node downloads backups into the folder, with changed properties. */
  flowWith(properties: object = {}, server: object = {}): FlowOptions {
    return {
      type: 'stash-backup',
      properties: { download: true, folder: this.folder, ...properties },
      server: { url: this.stash.url, ...server },
    };
  }

  start(properties?: object, server?: object, more: Partial<FlowOptions> = {}): Promise<Flow> {
    return Flow.start({ ...this.flowWith(properties, server), ...more });
  }

  place(name: string): string {
    return path.join(this.folder, name);
  }

  /** Returns a path beside the folder. */
  outside(name: string): string {
    return path.join(this.#root, name);
  }

  /** Returns all files in the folder, hidden ones included. */
  files(): string[] {
    return readdirSync(this.folder).sort();
  }

  put(name: string, content = 'an older one'): void {
    writeFileSync(this.place(name), content);
  }

  read(name: string): Buffer {
    return readFileSync(this.place(name));
  }

  /** Returns the download requests. */
  fetches(): RecordedRequest[] {
    return this.stash.requests.filter(({ path }) => path.startsWith('/downloads/'));
  }

  /** Returns the Range header of each download request. */
  ranges(): (string | undefined)[] {
    return this.fetches().map(({ headers }) => headers.range);
  }

  /** Returns the number of backupDatabase requests. */
  made(): number {
    return this.stash.requests.filter(({ operation }) => operation === 'backupDatabase').length;
  }
}

/** Returns the payload of a successful message with a backup in the folder. */
export function savedOf({ output, msg }: { output?: number; msg: Message }): Saved {
  assert.equal(output, 1, msg.error?.message);
  return msg.payload as Saved;
}

/** An error of a message. */
export type Failure = Pick<StashError, 'case' | 'code' | 'details' | 'status' | 'retry'>;

/** Returns the error of a message, with the values that its text would have. */
export function failureOf({ msg }: { msg: Message }): Failure {
  const { code, status, retry } = msg.stash?.error ?? assert.fail('an error of this package');
  const isIts = (key: string) => key.endsWith('.text') && msg.error?.message.startsWith(key);
  const { key, values } =
    [...askedWords].reverse().find((asked) => isIts(asked.key)) ?? assert.fail(msg.error?.message);
  const [, which = ''] = /errors\.(.+)\.text$/.exec(key) ?? [];
  assert.equal(msg.error?.code, code);
  return { case: which, code, details: values, status, retry } as Failure;
}

/** Returns the ids of the processes that check a backup in a folder. */
export function checksIn(folder: string): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter((line) => line.includes('quick-check-process') && line.includes(folder))
    .map((line) => Number.parseInt(line));
}

export function sha256Of(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
