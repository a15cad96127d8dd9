import {
  checkboxes,
  detailsOf,
  type FailedEvent,
  type NodeRED,
  outcomeOf,
  triggerNode,
  valuesOf,
} from '../../src/flow';
import { type JobEvent, type JobProgress, type JobRecord, type ReachEvent, titleOf } from '../../src/records';
import type words from './words/en-US.json';

type JobsEvent = Exclude<JobEvent, FailedEvent> | ReachEvent;
/** The events for which the node sends a message. */
type ReportedEvent = Exclude<JobsEvent, { type: 'polled' }>;

/** The job that the status shows. */
interface Running {
  job: JobRecord;
  progress: JobProgress | null;
}

/** The longest job name that fits under a node beside its progress, in characters. */
const LONGEST_NAME = 12;

/** stash-jobs: sends a message when a job of the server starts or ends, whoever starts it, and when the server comes or goes. */
export default (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-jobs',
    triggerNode(RED, {
      inputs: { events: checkboxes(['started', 'progress', 'ended', 'reach'], ['started', 'ended']) },
      follow: (server, emit) => {
        const unfollow = [server.reachability.follow(emit), server.jobs.follow(emit)];
        return {
          end: () => {
            for (const one of unfollow) one();
          },
        };
      },
      message: (event: JobsEvent, { events }) =>
        event.type !== 'polled' && events.some((choice) => choicesFor(event).includes(choice))
          ? eventMessage(RED, event)
          : undefined,
      activityAfter: runningAfter,
      status: runningStatus,
    }),
  );
};

/** Returns the choices in the dialog that select an event. One of them is enough. */
function choicesFor(event: ReportedEvent): readonly string[] {
  if ('since' in event) return ['reach'];
  return event.type === 'gap' ? ['started', 'progress', 'ended'] : [event.type];
}

function eventMessage(RED: NodeRED<typeof words>, event: ReportedEvent) {
  const { type: topic } = event;
  if (event.type === 'gap') {
    const { reason: outcome, from, to } = event;
    const values = { from: dateAndTime(from), to: dateAndTime(to) };
    return { topic, payload: { reason: outcome, from, to }, outcome, values };
  }
  if ('since' in event) {
    const { url, since, release } = event;
    const outcome = event.type === 'away' ? 'serverAway' : 'serverBack';
    return { topic, payload: { url, since, release }, outcome, values: { release } } as const;
  }
  const { job } = event;
  // Nothing is known of the percentage of a job that starts, or ends without having finished.
  const progress =
    event.type === 'progress' ? event.progress : { percent: job.status === 'FINISHED' ? 100 : null };
  const values = valuesOf(job);
  return {
    topic,
    // Copied, because a flow may change its message, and other nodes get the same job.
    payload: structuredClone({ ...job, ...progress }),
    outcome: outcomeOfEvent(event),
    values: { ...values, what: RED._('what.job', values), percent: progress.percent ?? '–' },
    details: event.type === 'ended' ? detailsOf(job) : [],
  } as const;
}

function outcomeOfEvent(event: Extract<JobsEvent, { job: JobRecord }>) {
  switch (event.type) {
    case 'started':
      return 'job.started';
    case 'progress':
      if (event.job.status === 'STOPPING') return 'stopping';
      if (event.progress.stalled) return 'stalled';
      return event.progress.percent === null ? 'running' : 'progress';
    case 'ended':
      return event.isInterrupted ? 'interrupted' : (`job.${outcomeOf(event.job)}` as const);
  }
}

/** Returns the job that runs after an event. */
function runningAfter(event: JobsEvent, running: Running | undefined): Running | undefined {
  switch (event.type) {
    case 'started':
      return { job: event.job, progress: null };
    case 'progress':
      return event;
    case 'ended':
      return isSameJob(running?.job, event.job) ? undefined : running;
    case 'gap':
    case 'away':
      return undefined;
    case 'back':
    case 'polled':
      return running;
  }
}

function runningStatus({ job, progress }: Running) {
  const what = firstWords(titleOf(job.description));
  const percent = progress?.percent ?? null;
  const isStopping = job.status === 'STOPPING';
  const isStalled = progress?.stalled === true && !isStopping;
  const moving = percent === null ? 'running' : 'progress';
  return {
    fill: isStalled ? 'yellow' : 'blue',
    status: isStopping ? 'stopping' : isStalled ? 'stalled' : moving,
    values: { what, percent: percent ?? '–' },
  } as const;
}

/** The id alone is not enough, because ids restart at 1 with the server. */
function isSameJob(one: JobRecord | undefined, other: JobRecord): boolean {
  return one?.id === other.id && one.added === other.added;
}

/** Formats a time in this machine's time zone, such as `2026-01-11 04:41:59`, which is the Swedish format. */
function dateAndTime(time: string): string {
  return new Date(time).toLocaleString('sv');
}

/** Returns as many words of a title as fit into a status. */
function firstWords(title: string): string {
  if (title.length <= LONGEST_NAME) return title;
  const end = title.lastIndexOf(' ', LONGEST_NAME);
  return end > 0 ? title.slice(0, end) : `${title.slice(0, LONGEST_NAME - 1)}…`;
}
