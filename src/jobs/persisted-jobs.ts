import { neverAborted } from '../async';
import type { StashError } from '../errors';
import type { Operation } from '../graphql';
import { isRecord, isString } from '../guards';
import type { JobRecord } from '../records';
import type { ValueStore } from '../value-store';
import { readId } from './documents';
import { bareRecord } from './job-records';
import type { JobStart } from './job-start';
import type { OwnJob } from './own-job';

/** A job that a pause has stopped, and that is not started again now. */
export interface AbandonedJob {
  record: JobRecord;
  /** The ID of the node that had started it. */
  node: string | undefined;
  /** Why the server has not started it again; undefined if its node or Node-RED ends. */
  error: StashError | undefined;
  /** Whether it is persisted until the next start of Node-RED. */
  isPersisted: boolean;
}

/** A job persisted before a restart: how to start it again, and the record of the job that was stopped. */
interface RestoredJob {
  start: JobStart;
  operation: Operation<string | null>;
  record: JobRecord;
}

/** A persisted job, as it is stored. */
interface StoredJob {
  id: string | null;
  added: string | null;
  description: string;
  /** The mutation that starts it again. */
  rootField: string;
  document: string;
  variables: Readonly<Record<string, unknown>>;
  /** The IDs of the node that had started it. */
  origin: string | null;
  node: string | null;
}

/** Persists the jobs that pauses have stopped while Node-RED is not running. */
export class PersistedJobs {
  readonly #url: string;
  readonly #store: () => ValueStore | undefined;
  readonly #jobs = new Set<OwnJob>();
  #restoring: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #isForGood = false;

  /** @param store returns the store, which a deploy may replace. */
  constructor(url: string, store: () => ValueStore | undefined) {
    this.#url = url;
    this.#store = store;
  }

  /** Returns the jobs persisted before a restart, each with how to start it, and the record of the job that was stopped. */
  async restore(): Promise<RestoredJob[]> {
    const reading = this.#store()?.read() ?? Promise.resolve(undefined);
    this.#restoring = reading;
    const stored = await reading;
    if (!isRecord(stored) || !Array.isArray(stored['jobs']) || stored['jobs'].length === 0) return [];
    // The node has had another address since.
    if (stored['address'] !== this.#url) {
      this.#write();
      return [];
    }
    return stored['jobs'].filter(isStored).map(restored);
  }

  /** Keeps a job from when it is interrupted until it is not. */
  update(job: OwnJob): void {
    const isPersisted = job.state.is === 'interrupted' && job.operation !== undefined;
    if (this.#isClosed || isPersisted === this.#jobs.has(job)) return;
    if (isPersisted) this.#jobs.add(job);
    else this.#jobs.delete(job);
    // What is stored already must be read before.
    void this.#restoring.then(() => this.#write());
  }

  #write(): void {
    const jobs = [...this.#jobs].flatMap((one) => storedFrom(one) ?? []);
    this.#store()?.write({ address: this.#url, jobs });
  }

  /** Whether a job is persisted for the next start of Node-RED. */
  has(job: OwnJob): boolean {
    return this.#jobs.has(job) && this.#store() !== undefined && this.#isClosed && !this.#isForGood;
  }

  /** Keeps what it has. @param isForGood whether nobody will read it. */
  close(isForGood: boolean): void {
    this.#isClosed = true;
    this.#isForGood = isForGood;
  }
}

function storedFrom({ start, operation, interruptions }: OwnJob): StoredJob | undefined {
  if (!operation) return undefined;
  const { call, description } = start;
  const { id = null, added = null } = interruptions.at(-1) ?? {};
  const { rootField, document, variables = {} } = operation;
  const { origin = null, node = null } = call;
  return { id, added, description, rootField, document, variables, origin, node };
}

function restored(job: StoredJob): RestoredJob {
  const { id, added, description, rootField, document, variables, origin, node } = job;
  const never = neverAborted();
  // It came before all messages since the restart.
  const call = {
    signal: never,
    waiting: never,
    since: 0,
    ...(origin !== null && { origin }),
    ...(node !== null && { node }),
  };
  const operation = { rootField, document, variables, read: readId };
  return {
    operation,
    start: { call, description, build: () => operation, isResumable: true },
    record: { ...bareRecord({ id, status: 'CANCELLED', description }), added },
  };
}

/** A user may have changed the stored value. */
function isStored(value: unknown): value is StoredJob {
  if (!isRecord(value) || !isRecord(value['variables'])) return false;
  const { id, added, origin, node } = value;
  const areTexts = [id, added, origin, node].every((one) => one === null || isString(one));
  return areTexts && ['description', 'rootField', 'document'].every((name) => isString(value[name]));
}
