export { type Operation, Schema } from '../graphql';
export { Address, type NetworkOptions, type ProxyOptions, type TlsOptions } from '../http';
export type { JobStart, WaitOptions } from '../jobs';
export type { RateLimiterStore } from '../lookups';
export { type Reachability, type SendThrottled, Server } from './server';
