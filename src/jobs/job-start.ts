import type { Call } from '../call';
import type { BuildOperation } from '../graphql';
import type { JobRecord } from '../records';
import type { TrackedJob } from './tracked-job';

/** A mutation that starts a job. */
export interface JobStart {
  call: Call;
  /** Builds the mutation. Its result is the job's ID; null if the server names no job. */
  build: BuildOperation<string | null>;
  /** The server's description of such a job. */
  description: string;
  /**
   * Some releases start the job without naming it in their response. It is then the only new one with this description, which
   * is why such starts go one after the other.
   */
  isUnnamed?: boolean;
  /** Called before the mutation is sent, after any wait for that. @throws {StashError} to send nothing. */
  prepare?: (() => Promise<void>) | undefined;
  /** Whether a pause may stop the job, and start it again: it goes on where it was. */
  isResumable?: boolean;
  /** Called with the record of a job that a pause has stopped. */
  onInterrupted?: (record: JobRecord) => void;
  /** Called if the job finished without progress, because there was nothing to do. */
  onIdle?: () => void;
}

/** A start that the server has accepted. */
export interface PendingStart {
  /** Null if the server does not report which job it is. */
  id: string | null;
  /** The lowest sequence number that this job can have. */
  firstSequence: number;
  tracked?: TrackedJob | undefined;
  /** The response to the start was lost, and only this new job matched. */
  adopted?: true;
}
