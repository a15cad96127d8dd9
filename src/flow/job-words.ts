import type { JobRecord } from '../server/job';
import type { Detail } from './action';
import { duration } from './words';

/** How a job ended, for the words of a node: `summary.<end>` and `status.<end>` in its catalogue. */
export const jobEnds = ['finished', 'ended', 'failed', 'panicked', 'cancelled', 'lost'] as const;
type JobEnd = (typeof jobEnds)[number];

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

/** What the words for a job name: an id of its own only where the server gives one. */
export function valuesOf({ id, description, seconds, error }: JobRecord) {
  return {
    job: id ?? '–',
    description,
    text: (error ?? '').slice(0, 300),
    time: seconds === null ? '–' : duration(seconds),
  };
}

/** What a summary tells of a job that has ended: problems, where it is known whether there were any, and the time it took. */
export function detailsOf(job: JobRecord): Detail[] {
  const { problemCount } = job;
  const { time } = valuesOf(job);
  return [
    ...(problemCount === null ? [] : [{ key: 'problems', values: { count: problemCount } }]),
    { key: 'time', values: { time } },
  ];
}
