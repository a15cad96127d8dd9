import { type JobRecord, jobValues, type StartedJob } from '../../records';
import { duration } from './duration';
import { detail } from './summary';

/** How a job ended, as keys of a node's catalogue: `summary.<end>` and `status.<end>`. */
export const jobEnds = ['finished', 'ended', 'failed', 'panicked', 'cancelled', 'lost'] as const;
type JobEnd = (typeof jobEnds)[number];

/** The longest quote of a problem, in UTF-16 units. */
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
      // A job that panicked has no error text.
      return error ? 'failed' : 'panicked';
    default:
      return 'ended';
  }
}

/** Whether a job that ended this way did not do its work. */
export function isBad(end: JobEnd): boolean {
  return !['finished', 'ended'].includes(end);
}

/** Whether a job's time is unknown or too short to mention. */
export function isBrief({ seconds }: JobRecord): boolean {
  return seconds === null || seconds < 0.1;
}

/** Returns the values for words about a job that may have ended. `–` stands for what the server does not give. */
export function valuesOf(job: JobRecord) {
  return { ...jobValues(job), time: job.seconds === null ? '–' : duration(job.seconds) };
}

/**
 * Returns the details of the summary of an ended job: its problems, if known, and its time. Without either, it says that
 * the job is done.
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

/** Returns the payload and the words for a job that was just started. `how` is the first part of the outcome. */
export function startOf({ behind = 0, ...payload }: StartedJob) {
  const how = behind === 0 ? 'started' : behind === null ? 'accepted' : 'queued';
  const details = behind ? [detail('behind', { count: behind })] : [];
  return { how, payload, details, job: payload.id ?? '–' } as const;
}
