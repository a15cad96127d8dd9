export { Address, type Download } from './address';
export type { Receive, Receiver, ResponseHead } from './body';
export { type CredentialOptions, readCredentials } from './credentials';
export { formatTrace, type RequestTrace } from './dispatch';
export { identityOf } from './identity';
export type { ProxyOptions } from './proxy';
export { checkNetwork, type LaneName, type NetworkOptions, type TlsOptions } from './route';
export { Transport } from './transport';
export { openSocket, type Socket, type Subscriptions } from './websocket';
