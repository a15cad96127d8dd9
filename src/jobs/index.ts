export type { JobStart, WaitOptions } from './job-start';
export { Jobs } from './jobs';
export type { QueuedJob, QueueView, QueueWatch } from './queue-watch';
