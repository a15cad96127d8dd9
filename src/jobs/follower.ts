import { shielded } from '../async';
import type { JobEvent } from '../records';
import type { HeldChange } from './events';
import { asBegun, type JobRecords } from './job-records';
import { ProgressFilter } from './progress-filter';
import type { TrackedJob } from './tracked-job';
import type { JobWatcher } from './watcher';

/** For somebody who has no wish of their own, in milliseconds. */
const STALLED_AFTER = 10 * 60_000;

export interface FollowerOptions {
  watcher: JobWatcher;
  records: JobRecords;
  /** Takes one line about a listener that has failed. */
  log: (line: string) => void;
}

/**
 * Tells `listener` of all jobs from now on, whoever starts them, in their order: the record of a job may be complete only
 * after the start of the next one.
 * @returns a function that ends it; what was not told by then is left to the next follower.
 */
export function followJobs(
  { watcher, records, log }: FollowerOptions,
  listener: (event: JobEvent) => void,
): () => void {
  const { missed, end } = watcher.subscribe();
  let isOver = false;
  let last = Promise.resolve();
  const untold = new Set<HeldChange>();
  const tell = (event: Promise<JobEvent> | JobEvent, held?: HeldChange) => {
    if (held) untold.add(held);
    last = Promise.all([event, last]).then(
      ([ready]) => {
        if (isOver) return;
        if (held) untold.delete(held);
        shielded(() => {
          listener(ready);
        }, log);
      },
      () => undefined,
    );
  };
  const tellChange = (held: HeldChange) => {
    const { change, tracked } = held;
    if (change === 'started') tell({ type: 'started', job: asBegun(records.now(tracked)) }, held);
    else {
      const ended = records.ended(tracked).then((job): JobEvent => ({ type: 'ended', job }));
      tell(ended, held);
    }
  };
  let filters = new WeakMap<TrackedJob, ProgressFilter>();
  const tellProgress = () => {
    for (const tracked of watcher.table.open) {
      // Of one that seems to run beside another nothing is told before the other's end.
      if (!tracked.isRunning || watcher.table.isBehind(tracked)) continue;
      const progress = tracked.progress(STALLED_AFTER);
      const filter = filters.get(tracked) ?? new ProgressFilter();
      filters.set(tracked, filter);
      if (filter.changed(progress, tracked)) tell({ type: 'progress', job: records.now(tracked), progress });
    }
  };

  missed.forEach(tellChange);
  const unlisten = watcher.listen((event) => {
    if (event.type === 'started' || event.type === 'ended') {
      tellChange({ change: event.type, tracked: event.job });
    } else if (event.type === 'gap' || event.type === 'failed') tell(event);
    else if (event.type === 'away') filters = new WeakMap();
    else if (event.type === 'tick') tellProgress();
  });
  return () => {
    if (isOver) return;
    isOver = true;
    unlisten();
    end([...untold]);
  };
}
