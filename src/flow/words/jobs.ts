import { duration } from '../../contract/units';
import { type JobRecord, jobValues, type SkippedJob, type StartedJob } from '../../records';
import { detail } from './summary';

/** The longest quote of a problem, in UTF-16 units. */
const LONGEST_PROBLEM = 100;

export function outcomeOf({ status, error }: JobRecord) {
  switch (status) {
    case 'FINISHED':
      return 'finished';
    case 'CANCELLED':
      return 'cancelled';
    case 'FAILED':
      // A job that panicked has no error text.
      return error ? 'failed' : 'panicked';
    default:
      // The error of a lost job is the status that it ended with, if no known release has that.
      return error === null ? 'lost' : 'unknown';
  }
}

/** Whether a job's time is unknown or too short to mention. */
export function isBrief({ seconds }: JobRecord): boolean {
  return seconds === null || seconds < 0.1;
}

/** Returns the placeholders for sentences about a job that may have ended. A missing value is `–`. */
export function valuesOf(job: JobRecord) {
  return { ...jobValues(job), time: job.seconds === null ? '–' : duration(job.seconds) };
}

/** Returns the known details for the summary of an ended job: what it did, its problems and its duration. */
export function detailsOf(job: JobRecord) {
  const { time } = valuesOf(job);
  return [...workOf(job), ...problemsOf(job), ...(isBrief(job) ? [] : [detail('job.time', { time })])];
}

/** Counts what a clean marked, or what another task changed. */
function workOf({ marked, changes, problemCount }: JobRecord) {
  if (changes !== undefined) return [detail('job.changes', { count: changes })];
  if (!marked) return [];
  const { count, dryRun } = marked;
  if (dryRun) return [detail('job.wouldRemove', { count })];
  // Stash logs a problem for each entry that it cannot remove.
  return [problemCount === 0 ? detail('job.removed', { count }) : detail('job.marked', { count })];
}

/** Quotes a single problem, and counts several. */
function problemsOf({ problems, problemCount: count }: JobRecord) {
  if (count === null) return [];
  const [problem] = problems ?? [];
  if (count !== 1 || !problem) return [detail('job.problems', { count })];
  const [line = ''] = problem.text.split('\n', 1);
  const text = line.length > LONGEST_PROBLEM ? `${line.slice(0, LONGEST_PROBLEM - 1)}…` : line;
  return [detail('job.problem', { text })];
}

/**
 * Returns payload and words for a job that was just started.
 * @param what the job as the subject of a sentence, as in "Scan of /data".
 */
export function startOf({ behind = 0, ...payload }: StartedJob, what: string) {
  const outcome = behind === 0 ? 'job.started' : behind === null ? 'job.accepted' : 'job.queued';
  return {
    outcome,
    payload,
    isStart: true,
    values: { what, job: payload.id ?? '–' },
    details: [
      ...(payload.id === null ? [] : [detail('job.id', { job: payload.id })]),
      ...(behind ? [detail('job.behind', { count: behind })] : []),
    ],
  } as const;
}

/**
 * Returns payload and words for a job that a message waited for.
 * @param what the job as the subject of a sentence, as in "Scan of /data".
 */
export function endOf(job: JobRecord, what: string) {
  const end = outcomeOf(job);
  return {
    outcome: `job.${end}`,
    payload: job,
    values: { ...valuesOf(job), what },
    details: detailsOf(job),
    isBad: end !== 'finished',
    ...(end === 'finished' && isBrief(job) && ({ status: 'job.done' } as const)),
  } as const;
}

interface TaskOutcome {
  operation: string;
  job: JobRecord | StartedJob | SkippedJob;
  /** The job finished without any work. */
  isIdle?: true;
  /** The chosen items: those in the library, and how many others. */
  items?: { known: readonly string[]; unknown: number };
}

/**
 * Returns the reply for a task: skipped, started or ended.
 * @param what the job as the subject of a sentence, as in "Scan of /data".
 * @param scene the first of the chosen scenes; empty without any.
 */
export function replyOfTask({ operation, job, isIdle, items }: TaskOutcome, what: string, scene = '') {
  const { known = [], unknown = 0 } = items ?? {};
  if (job.status === 'SKIPPED') {
    const outcome = whySkipped(known.length, unknown, scene);
    return {
      operation,
      payload: job,
      outcome,
      isBad: outcome !== 'job.nothingToDo',
      values: { scene },
    } as const;
  }
  const missed = unknown > 0 ? [detail('job.unknownItems', { count: unknown })] : [];
  if (!('description' in job)) {
    const start = startOf(job, what);
    return { operation, ...start, details: [...start.details, ...missed] } as const;
  }
  const end = endOf(job, what);
  const about = { operation, ...end, details: [...missed, ...end.details] };
  // A job that fails before it has counted its work also shows no progress. Only its log shows that.
  if (isIdle && job.status === 'FINISHED' && job.problemCount === 0) {
    return { ...about, outcome: 'job.idle', status: 'job.idle' } as const;
  }
  return about;
}

/** Returns the outcome of a task that was not started, by the number of known and unknown items that were chosen. */
function whySkipped(known: number, unknown: number, scene: string) {
  // An item without a file has no folder, such as a gallery that was made by hand.
  if (known > 0) return 'job.noFolder';
  if (unknown === 0) return 'job.nothingToDo';
  return unknown === 1 && scene !== '' ? 'job.noScene' : 'job.noneKnown';
}
