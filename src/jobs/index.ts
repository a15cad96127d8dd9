export type { JobStart, WaitOptions } from './job';
export { Jobs } from './jobs';
