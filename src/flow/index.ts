export { actionNode } from './action';
export { checkVariables } from './environment';
export {
  checkbox,
  checkboxes,
  choice,
  count,
  fileName,
  folder,
  ids,
  job,
  mebibytes,
  minutes,
  number,
  onlyIf,
  ownIds,
  performer,
  plain,
  selection,
  text,
  texts,
  ticked,
  together,
} from './input';
export { jobsNode } from './jobs-node';
export { networkOf } from './network-nodes';
export { rateLimiterStore } from './rate-limiter-store';
export { addScrapersRoute } from './routes/scrapers';
export { addTestRoute } from './routes/test';
export type { NodeCredentials, ServerNode } from './server-node';
export { type Detail, detailsOf, duration, endOf, isBad, isBrief, startOf, valuesOf } from './words';
