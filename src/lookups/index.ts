export { LookupQueues, type RateLimiterStore } from './lookup-queues';
export { siteRefusal } from './site-refusal';
