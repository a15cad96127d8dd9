import { type JobRecord, jobValues, type StartedJob } from '../../records';
import { duration } from './duration';
import { detail } from './summary';

/** How a job ended, as keys of a node's catalogue: `summary.<end>` and `status.<end>`. */
export const jobEnds = ['finished', 'ended', 'failed', 'panicked', 'cancelled', 'lost'] as const;
type JobEnd = (typeof jobEnds)[number];

/** How much of a problem a sentence quotes, in characters. */
const LONGEST_PROBLEM = 100;

/** Returns how a job ended. */
export function endOf({ status, error }: JobRecord): JobEnd {
  switch (status) {
    case 'FINISHED':
      return 'finished';
    case 'CANCELLED':
      return 'cancelled';
    case 'LOST':
      return 'lost';
    case 'FAILED':
      // The server gives no text for a fault of its own.
      return error ? 'failed' : 'panicked';
    default:
      return 'ended';
  }
}

/** Tells whether a job that ended so has not done what it was started for. */
export function isBad(end: JobEnd): boolean {
  return !['finished', 'ended'].includes(end);
}

/** Tells whether a job's time is too short to mention, or unknown. */
export function isBrief({ seconds }: JobRecord): boolean {
  return seconds === null || seconds < 0.1;
}

/** Returns the values that the words about a job name. `–` stands for what the server does not give. */
export function valuesOf(job: JobRecord) {
  return { ...jobValues(job), time: job.seconds === null ? '–' : duration(job.seconds) };
}

/**
 * Returns what a summary says of a job that has ended: its problems, if it is known whether there were any, and its time.
 * Where there is neither, it says that the job is done.
 */
export function detailsOf(job: JobRecord) {
  const { time } = valuesOf(job);
  const details = [...problemsOf(job), ...(isBrief(job) ? [] : [detail('time', { time })])];
  return details.length > 0 ? details : [detail('done')];
}

/** Quotes a single problem, and counts several. */
function problemsOf({ problems, problemCount: count }: JobRecord) {
  if (count === null) return [];
  const [problem] = problems ?? [];
  if (count !== 1 || !problem) return [detail('problems', { count })];
  const [line = ''] = problem.text.split('\n', 1);
  const text = line.length > LONGEST_PROBLEM ? `${line.slice(0, LONGEST_PROBLEM - 1)}…` : line;
  return [detail('problem', { text })];
}

/** Returns what a node says of a job that it has just started, and the payload for it. */
export function startOf({ behind = 0, ...payload }: StartedJob) {
  const how = behind === 0 ? 'started' : behind === null ? 'accepted' : 'queued';
  const details = behind ? [detail('behind', { count: behind })] : [];
  return { how, payload, details, job: payload.id ?? '–' } as const;
}
