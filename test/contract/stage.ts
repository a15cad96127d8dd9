import type { FakeStash, FakeStashOptions } from '../fake-stash/fake-stash';
import { untilFollowed } from '../support/followed';
import type { Flow, FlowOptions, Message } from '../support/flow';
import { until } from '../support/waiting';
import type { JobProgress } from '../../src/records';

/** A message, and the output that it left at; none for an error, which a Catch node received. */
export interface Sent {
  output?: number;
  msg: Message;
}

/** The server of a case, and a node that uses it. */
export interface Stage {
  stash: FakeStash;
  start: (properties?: object, more?: Partial<FlowOptions>) => Promise<Flow>;
  ask: (properties?: object, msg?: object) => Promise<Sent>;
  /** Restarts the server, which then knows nothing of its jobs. */
  restart: () => Promise<void>;
  /** A folder of this machine. */
  folder: string;
}

/** Makes a node send all kinds of messages that belong to a case. */
export type Case = (stage: Stage) => Promise<Sent | Sent[]>;

/** A case that needs a server with other options. */
export interface Special {
  options: FakeStashOptions;
  run: Case;
}

/** Waits for the job, and gets its record also where it failed. */
export const replyFinished = { reply: 'finished', sendFailed: true };

/** Returns the progress of a job until it can be estimated. */
export async function progressOfJob({ stash, start }: Stage, properties: object = {}): Promise<Sent[]> {
  stash.jobs.hold();
  const flow = await start({ reply: 'finished', ...properties });
  const id = flow.send();
  await stepThrough(stash, () => flow.progressOf(id));
  await flow.until(() => flow.hasEnded(id));
  return flow.progressOf(id).map((msg) => ({ output: 2, msg }));
}

/** Lets a held job do a step, and go on once its progress has an estimate. */
export async function stepThrough({ jobs }: FakeStash, progress: () => readonly Message[]): Promise<void> {
  const isEstimated = ({ payload }: Message) => (payload as JobProgress).secondsLeft !== null;
  await until(() => progress().length > 0);
  await jobs.step();
  await until(() => progress().some(isEstimated));
  jobs.release();
}

/** Resolves when a trigger node follows the jobs of its server. */
export async function following(stash: FakeStash, starting: Promise<Flow>): Promise<Flow> {
  const flow = await starting;
  await untilFollowed(stash);
  return flow;
}
