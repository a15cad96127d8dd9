export { LookupQueues, type RateLimiterStore, type SiteState } from './lookup-queues';
export { BUILTIN_SCRAPER, GITHUB, siteOf, siteRefusal } from './sites';
