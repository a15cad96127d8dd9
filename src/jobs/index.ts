export { readId } from './documents';
export type { JobStart } from './job-start';
export { Jobs } from './jobs';
export type { LogEntry } from './log-collector';
export type { AbandonedJob } from './persisted-jobs';
export type { QueuedJob, QueueWatch } from './queue-watch';
export { type Pending, Pause, type PauseEnd } from './pause';
