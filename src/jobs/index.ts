export type { JobStart, WaitOptions } from './job-start';
export { Jobs } from './jobs';
