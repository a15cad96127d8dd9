export { actionNode, type Detail } from './action';
export { checkVariables } from './environment';
export { duration } from './i18n';
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
export { detailsOf, endOf, isBad, isBrief, startOf, valuesOf } from './job-words';
export { jobsNode } from './jobs-node';
export { networkOf } from './network-nodes';
export { rateLimiterStore } from './rate-limiter-store';
export { addScrapersRoute } from './scrapers-route';
export type { NodeCredentials, ServerNode } from './server-node';
export { addTestRoute } from './test-route';
