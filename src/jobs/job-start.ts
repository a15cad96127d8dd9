import type { Call } from '../call';
import type { BuildOperation } from '../graphql';
import type { TrackedJob } from './tracked-job';

/** A mutation that starts a job. */
export interface JobStart {
  call: Call;
  /** Asks for the job; its result is the job's id, null on servers that give none. */
  build: BuildOperation<string | null>;
  /** How servers since v0.8 describe such a job. */
  description: string;
  /** The same before v0.8. */
  slot: string;
  /** Called if the job finished without any progress, because there was nothing to do. */
  onIdle?: () => void;
}

/** How long a job may take. */
export interface WaitOptions {
  /** After how many milliseconds without a change a job is stalled; Infinity: never. */
  stalledAfter: number;
  /** How many milliseconds may pass from the call to the job's end; Infinity: as many as it takes. */
  waitLimit: number;
}

/** A start that the server has accepted. */
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
