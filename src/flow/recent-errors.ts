import type { Node } from 'node-red';
import { StashError } from '../errors';
import { editorIdOf } from './server-node';

/** The most errors to keep of one server. */
const MOST_ERRORS = 20;

/** An error that a node has reported, also if it was reported several times. */
export interface RecentError {
  /** When it was reported last, in milliseconds since 1970. */
  at: number;
  /** The ID of the node in the editor, and its type. */
  node: string;
  type: string;
  /** Undefined for a bug in this package. */
  error: StashError | undefined;
  count: number;
}

/** By the ID of the server's node. Module-level, because a deploy replaces nodes. */
const logs = new Map<string, RecentErrors>();

/** The last errors that the nodes of one server have reported. They are kept in memory only. */
export class RecentErrors {
  /** Oldest first. */
  readonly #errors: RecentError[] = [];

  /** Returns the errors of a server. @param server the ID of its node. */
  static of(server: string): RecentErrors {
    const log = logs.get(server) ?? new RecentErrors();
    logs.set(server, log);
    return log;
  }

  /** Discards the errors of a server that was deleted. @param server the ID of its node. */
  static drop(server: string): void {
    logs.delete(server);
  }

  get newest(): RecentError[] {
    return [...this.#errors].reverse();
  }

  /** Adds an error that a node reports; the end of a message by a deploy is none. */
  add(reporter: Node, thrown: unknown): void {
    const error = thrown instanceof StashError ? thrown : undefined;
    if (error?.code === 'CLOSED') return;
    const node = editorIdOf(reporter);
    const isSame = (one: RecentError) => one.node === node && one.error?.message === error?.message;
    const place = this.#errors.findIndex(isSame);
    const [known] = place === -1 ? [] : this.#errors.splice(place, 1);
    const count = (known?.count ?? 0) + 1;
    this.#errors.push({ at: Date.now(), node, type: reporter.type, error, count });
    if (this.#errors.length > MOST_ERRORS) this.#errors.shift();
  }

  clear(): void {
    this.#errors.length = 0;
  }
}
