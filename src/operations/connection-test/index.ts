export { diagnose } from './diagnosis';
export { findStash } from './find-stash';
