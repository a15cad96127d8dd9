import { shielded } from '../async';
import type { JobEvent, JobRecord } from '../records';
import { asStarted, type JobRecords } from './job-records';
import { ProgressFilter, type TrackedJob } from './tracked-job';
import type { JobWatcher } from './watcher';

/** Where the events come from. */
interface JobsSource {
  watcher: JobWatcher;
  records: JobRecords;
  /** Whether a pause has stopped a job that has ended, and another job goes on in its place. */
  isInterrupted: (job: JobRecord) => Promise<boolean>;
  /** Logs one line about a listener that failed. */
  log: (line: string) => void;
}

/** The time without progress after which a job is stalled, in milliseconds. */
export const STALLED_AFTER = 10 * 60_000;

/**
 * Sends the events of all jobs to `listener`, whoever starts them. Each event waits for the one before: the record of a
 * job may be complete only after the start of the next one.
 * @returns a function that stops this. What has happened until then is still sent.
 */
export function followJobs(
  { watcher, records, isInterrupted, log }: JobsSource,
  listener: (event: JobEvent) => void,
): () => void {
  let last = Promise.resolve();
  const emit = (event: Promise<JobEvent> | JobEvent) => {
    last = Promise.all([event, last]).then(
      ([ready]) => shielded(() => listener(ready), log),
      () => undefined,
    );
  };
  let filters = new WeakMap<TrackedJob, ProgressFilter>();
  const emitProgress = () => {
    for (const tracked of watcher.table.open) {
      // While an earlier job seems to run, the `started` event of this one waits, and so does its progress.
      if (!tracked.isRunning || watcher.table.isBehind(tracked)) continue;
      const progress = tracked.progress(STALLED_AFTER);
      const filter = filters.get(tracked) ?? new ProgressFilter();
      filters.set(tracked, filter);
      if (filter.changed(progress, tracked)) emit({ type: 'progress', job: records.now(tracked), progress });
    }
  };

  const endOf = async (tracked: TrackedJob): Promise<JobEvent> => {
    const job = await records.ended(tracked);
    return { type: 'ended', job, isInterrupted: await isInterrupted(job) };
  };

  let hasFailed = false;
  const release = watcher.acquire();
  const unlisten = watcher.listen((event) => {
    const { type } = event;
    if (type === 'started') emit({ type, job: asStarted(records.now(event.tracked)) });
    else if (type === 'ended') emit(endOf(event.tracked));
    else if (type === 'gap') emit(event);
    else if (type === 'failed') {
      hasFailed = true;
      emit(event);
    } else if (type === 'polled' && hasFailed) {
      hasFailed = false;
      emit({ type: 'polled' });
    } else if (type === 'unreachable') filters = new WeakMap();
    else if (type === 'tick') emitProgress();
  });
  return () => {
    unlisten();
    release();
  };
}
