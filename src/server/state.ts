import { StashError } from '../errors';

/** `systemStatus.status` of the server's schema, v0.7.0 and later. */
type SystemStatus = string;

/**
 * Looks at the server's state before a mutation. A server that is not set up answers a backup with a null that looks
 * like success, and one that waits for its migration dies of a scan or a generate (seen on v0.7 to v0.30).
 */
export class StateGuard {
  readonly #ask: () => Promise<SystemStatus>;
  #asking: Promise<SystemStatus> | undefined;

  constructor(ask: () => Promise<SystemStatus>) {
    this.#ask = ask;
  }

  /**
   * Those that come while an answer is awaited share it.
   * @throws {StashError} SERVER_STATE, or what the question itself ran into.
   */
  async check(kind: 'mutation' | 'backup'): Promise<void> {
    const status = await this.#status();
    if (status === 'SETUP') throw new StashError('SERVER_STATE.setup', { retry: true });
    // A backup is what one wants before migrating.
    if (status === 'NEEDS_MIGRATION' && kind !== 'backup') {
      throw new StashError('SERVER_STATE.migration', { retry: true });
    }
  }

  /** A question of others that fails may have been asked long before, so who shared it asks once more. */
  async #status(): Promise<SystemStatus> {
    if (this.#asking === undefined) return this.#share();
    return this.#asking.catch(() => this.#share());
  }

  #share(): Promise<SystemStatus> {
    this.#asking ??= this.#ask()
      .catch(lacking)
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }
}

/** A server that does not know the question (before v0.7.0) has no such states, and says so. */
function lacking(error: unknown): SystemStatus {
  const refused = error instanceof StashError && error.case === 'GRAPHQL.refused';
  if (refused && String(error.details['text']).includes('systemStatus')) return 'OK';
  throw error;
}
