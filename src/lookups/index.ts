export { LookupQueues, type RateLimiterStore, type SiteState } from './lookup-queues';
export { BUILTIN_SCRAPER, GITHUB, hostOf, siteOf, siteOfAddress, siteRefusal } from './sites';
