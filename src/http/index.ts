export { Address, type DownloadLink } from './address';
export { type CredentialOptions, readCredentials } from './credentials';
export { identityOf } from './identity';
export type { ProxyOptions } from './proxy';
export type { Receive, Receiver, ResponseHead } from './receiver';
export { RequestLog, type RequestTrace } from './request-log';
export { checkNetwork, type LaneName, type NetworkOptions, type TlsOptions } from './route';
export { Transport } from './transport';
export type { Socket, Subscriptions } from './websocket';
