export { LookupQueues, type SiteState } from './lookup-queues';
export { BUILTIN_SCRAPER, hostOf, siteOf, siteOfAddress, siteRefusal } from './sites';
