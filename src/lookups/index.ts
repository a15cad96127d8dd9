export { LookupQueues, type SiteState } from './lookup-queues';
export { BUILTIN_SCRAPER, GITHUB, hostOf, siteOf, siteOfAddress, siteRefusal } from './sites';
