export { LookupQueues, type RateLimiterStore, type SiteState } from './lookup-queues';
export { siteRefusal } from './site-refusal';
