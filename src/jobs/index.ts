export type { JobStart } from './job-start';
export { Jobs } from './jobs';
export type { QueuedJob, QueueView, QueueWatch } from './queue-watch';
