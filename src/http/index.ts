export { Address, type DownloadLink } from './address';
export {
  type Certificate,
  type FirstHop,
  firstHop,
  readCertificate,
  resolveHost,
  timeConnection,
} from './connection-check';
export { type CredentialOptions, identityOf, readCredentials } from './credentials';
export type { Receive, Receiver, ResponseHead } from './dispatch';
export { identify, type Identity } from './identify';
export { load } from './load';
export type { ProxyOptions } from './proxy';
export { RequestLog, type RequestTrace } from './request-log';
export { checkNetwork, type PoolName, type NetworkOptions, type TlsOptions } from './route';
export { Transport } from './transport';
export type { Socket, Subscriptions } from './websocket';
