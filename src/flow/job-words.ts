import { type JobRecord, type StartedJob, titleOf } from '../records';
import type { Detail } from './action';
import { duration } from './i18n';

/** How a job ended, for the words of a node: `summary.<end>` and `status.<end>` in its catalogue. */
export const jobEnds = ['finished', 'ended', 'failed', 'panicked', 'cancelled', 'lost'] as const;
type JobEnd = (typeof jobEnds)[number];

/** So much of a problem fits into a sentence. */
const LONGEST_PROBLEM = 100;

/** @param job that has ended. */
export function endOf({ status, error }: JobRecord): JobEnd {
  switch (status) {
    case 'FINISHED':
      return 'finished';
    case 'CANCELLED':
      return 'cancelled';
    case 'LOST':
      return 'lost';
    case 'FAILED':
      // The server gives no text where the fault is its own.
      return error ? 'failed' : 'panicked';
    default:
      return 'ended';
  }
}

/** Whether a job that ended so has not done what it was started for. */
export function isBad(end: JobEnd): boolean {
  return !['finished', 'ended'].includes(end);
}

/** Whether a job has taken too little time to tell of, or nobody knows how much. */
export function isBrief({ seconds }: JobRecord): boolean {
  return seconds === null || seconds < 0.1;
}

/** What the words for a job name: an id of its own only where the server gives one. */
export function valuesOf({ id, description, seconds, error }: JobRecord) {
  return {
    job: id ?? '–',
    description: titleOf(description),
    text: (error ?? '').slice(0, 300),
    time: seconds === null ? '–' : duration(seconds),
  };
}

/**
 * What a summary tells of a job that has ended: problems, where it is known whether there were any, and the time it took; that it
 * is done where there is neither.
 */
export function detailsOf(job: JobRecord): Detail[] {
  const { time } = valuesOf(job);
  const details = [...problemsOf(job), ...(isBrief(job) ? [] : [{ key: 'time', values: { time } }])];
  return details.length > 0 ? details : [{ key: 'done' }];
}

/** The one problem is named; of several there is just the number. */
function problemsOf({ problems, problemCount: count }: JobRecord): Detail[] {
  if (count === null) return [];
  const [problem] = problems ?? [];
  if (count !== 1 || !problem) return [{ key: 'problems', values: { count } }];
  const [line = ''] = problem.text.split('\n', 1);
  const text = line.length > LONGEST_PROBLEM ? `${line.slice(0, LONGEST_PROBLEM - 1)}…` : line;
  return [{ key: 'problem', values: { text } }];
}

/** What a node tells of a job that it has just started, and the payload for that. */
export function startOf({ behind = 0, ...payload }: StartedJob) {
  const how = behind === 0 ? 'started' : behind === null ? 'accepted' : 'queued';
  const details: Detail[] = behind ? [{ key: 'behind', values: { count: behind } }] : [];
  return { how, payload, details, job: payload.id ?? '–' } as const;
}
