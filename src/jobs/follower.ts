import { shielded } from '../async';
import type { JobEvent } from '../records';
import { type EssentialEvent, isEssential } from './events';
import { asBegun, type JobRecords } from './job-records';
import { ProgressFilter, type TrackedJob } from './tracked-job';
import type { JobWatcher } from './watcher';

/** The time without progress after which a job is stalled, in milliseconds. */
export const STALLED_AFTER = 10 * 60_000;

/**
 * Sends the events of all jobs to `listener`, whoever starts them. Each event waits for the one before: the record of a
 * job may be complete only after the start of the next one.
 * @param log logs one line about a listener that failed.
 * @returns a function that stops this and leaves unsent events to the next follower.
 */
export function followJobs(
  watcher: JobWatcher,
  records: JobRecords,
  log: (line: string) => void,
  listener: (event: JobEvent) => void,
): () => void {
  const { pending, end } = watcher.subscribe();
  let isOver = false;
  let last = Promise.resolve();
  const unsent = new Set<EssentialEvent>();
  const emit = (event: Promise<JobEvent> | JobEvent, essential?: EssentialEvent) => {
    if (essential) unsent.add(essential);
    last = Promise.all([event, last]).then(
      ([ready]) => {
        if (isOver) return;
        if (essential) unsent.delete(essential);
        shielded(() => {
          listener(ready);
        }, log);
      },
      () => undefined,
    );
  };
  const emitEssential = (event: EssentialEvent) => {
    const { type } = event;
    if (type === 'gap') emit(event, event);
    else if (type === 'started') emit({ type, job: asBegun(records.now(event.tracked)) }, event);
    else {
      const ended = records.ended(event.tracked).then((job): JobEvent => ({ type, job }));
      emit(ended, event);
    }
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

  pending.forEach(emitEssential);
  const unlisten = watcher.listen((event) => {
    if (isEssential(event)) emitEssential(event);
    else if (event.type === 'failed') emit(event);
    else if (event.type === 'away') filters = new WeakMap();
    else if (event.type === 'tick') emitProgress();
  });
  return () => {
    if (isOver) return;
    isOver = true;
    unlisten();
    end([...unsent]);
  };
}
