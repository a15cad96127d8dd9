export { ScanCollector, usualTemporaryNames } from './collector';
export type { NewContent } from './new-content';
export { type Collected, scanOptions, scanRequirements, type Settled } from './scan';
