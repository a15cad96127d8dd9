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
import sinon from 'sinon';
import * as words from '../../src/flow/words/errors';
import { Flow, type FlowOptions, type Message, useFakeStash } from '../support/flow';
import type { RecordedRequest } from '../fake-stash/recorded-request';
import type { FakeStash, FakeStashOptions } from '../fake-stash/fake-stash';
import type { StashError } from '../../src/errors';

/** The payload of a message whose backup is in a folder. */
export interface Saved {
  path: string;
  filename: string;
  bytes: number;
  sha256: string;
  seconds: number;
  checked: string[];
  schema: number | null;
  removed?: string[];
}

/** Whose downloads a fault of the fake server is for. */
export const downloads = { path: '/downloads' };

/** How the fake server names its backups. */
export const GIVEN_NAME = /^stash-go\.sqlite\.75\.\d{8}_\d{6}$/;

/** A fake server and an empty folder for each test of the suite that makes one, and backups from one into the other. */
export class Backups {
  readonly #stash: () => FakeStash;
  #root = '';
  /** Where the backups go, an absolute path without links. */
  folder = '';

  constructor(options: FakeStashOptions = {}) {
    this.#stash = useFakeStash(options);
    beforeEach(() => {
      this.#root = realpathSync(mkdtempSync(path.join(tmpdir(), 'node-red-stash-')));
      this.folder = path.join(this.#root, 'backups');
      mkdirSync(this.folder);
    });
    afterEach(() => {
      rmSync(this.#root, { recursive: true });
    });
  }

  get stash(): FakeStash {
    return this.#stash();
  }

  /** What a flow is made of whose node fetches backups into the folder, unless its dialog says otherwise. */
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

  /** A place beside the folder. */
  outside(name: string): string {
    return path.join(this.#root, name);
  }

  /** All that is in the folder, hidden or not. */
  files(): string[] {
    return readdirSync(this.folder).sort();
  }

  put(name: string, content = 'an older one'): void {
    writeFileSync(this.place(name), content);
  }

  read(name: string): Buffer {
    return readFileSync(this.place(name));
  }

  readOutside(name: string): string {
    return readFileSync(this.outside(name), 'utf8');
  }

  /** The requests for bytes of a backup. */
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

/** What a message says that was sent on with the backup in the folder. */
export function savedOf({ output, msg }: { output?: number; msg: Message }): Saved {
  assert.equal(output, 1, msg.error?.message);
  return msg.payload as Saved;
}

/**
 * Sees the case of each error, as a Catch node gets only words and code. In a sandbox of its own, which other tests do not
 * restore.
 */
const describeErrorSpy = sinon.createSandbox().spy(words, 'describeError');

/** The error that a message ended with, as it was before it became a sentence. */
export function failureOf({ msg }: { msg: Message }): StashError {
  const calls = describeErrorSpy.getCalls().reverse();
  const failure = calls.find(({ returnValue: { message } }) => message === msg.error?.message)?.args[1];
  assert.ok(failure, 'an error of this package');
  assert.equal(msg.error?.code, failure.code);
  return failure;
}

/** The ids of the processes that check a backup in a folder. */
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
