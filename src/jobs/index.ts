export { stopOperation } from './documents';
export { asStopped } from './job-records';
export type { JobStart } from './job-start';
export { Jobs } from './jobs';
export type { QueuedJob, QueueView, QueueWatch } from './queue-watch';
export { Pause, type PauseEnd } from './pause';
