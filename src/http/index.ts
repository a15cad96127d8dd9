export { Address, type DownloadLink } from './address';
export { type CredentialOptions, readCredentials } from './credentials';
export {
  type Certificate,
  type FirstStop,
  firstStop,
  readCertificate,
  resolveHost,
  timeConnection,
} from './connection-check';
export { identify, type Identity } from './identify';
export { identityOf } from './identity';
export { load } from './load';
export type { ProxyOptions } from './proxy';
export type { Receive, Receiver, ResponseHead } from './receiver';
export { RequestLog, type RequestTrace } from './request-log';
export { checkNetwork, type LaneName, type NetworkOptions, type TlsOptions } from './route';
export { Transport } from './transport';
export type { Socket, Subscriptions } from './websocket';
