// When a job is LOST: the server does not know it any more, and nobody saw how it ended.
import type { JobSnapshot } from './documents';
import type { ServerJob } from './server-job';
import { jobKey, type TrackedJob } from './tracked-job';

/**
 * Returns the open jobs that a poll did not show: `lost` if the server was asked for their IDs, too; `unclear` if it must be polled
 * again, because they have left its queue since.
 * @param open those that were open when the poll was sent.
 */
export function missingJobs(
  open: readonly TrackedJob[],
  listed: readonly ServerJob[],
  found: JobSnapshot['found'],
): { lost: TrackedJob[]; unclear: TrackedJob[] } {
  const keys = new Set(listed.map(jobKey));
  const missing = open.filter(({ outcome, job }) => outcome === undefined && !keys.has(jobKey(job)));
  const isLost = ({ job }: TrackedJob) => found.has(job.id);
  return { lost: missing.filter(isLost), unclear: missing.filter((one) => !isLost(one)) };
}

/** Whether the server restarted between two jobs, so that all of the earlier run are lost: the later one has the same number, or a lower one. */
export function isOfNextRun(job: ServerJob, newest: ServerJob): boolean {
  return Number(job.id) <= Number(newest.id) && Date.parse(job.addTime) > Date.parse(newest.addTime);
}
