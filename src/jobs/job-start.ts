import type { Call } from '../call';
import type { BuildOperation } from '../graphql';
import type { TrackedJob } from './tracked-job';

/** A mutation that starts a job. */
export interface JobStart {
  call: Call;
  /** Asks for the job; its result is the job's id, null on servers that give none. */
  build: BuildOperation<string | null>;
  /** How the server describes such a job: since v0.8, and in the one slot that there was before. */
  description: string;
  slot: string;
  /** Is called where the job has finished and the server counted nothing that it had to do. */
  onIdle?: () => void;
}

/** How long a job may take. */
export interface WaitOptions {
  /** After how many milliseconds without a change a job is stalled; Infinity: never. */
  stalledAfter: number;
  /** How many milliseconds may pass from the call to the job's end; Infinity: as many as it takes. */
  waitLimit: number;
}

/** A job that the server has accepted, as far as it is known then. */
export interface PendingStart {
  /** Null before v0.8. */
  id: string | null;
  /** Only a job that is first seen at this sequence number or later can be this one. */
  firstSequence: number;
  tracked?: TrackedJob | undefined;
  /** The response to the start was lost; this is the one job that can be meant. */
  adopted?: true;
  /** The server could not be asked after the start. */
  wasAway?: boolean;
}
