export {
  type CheckedDocument,
  checkedInput,
  type Documents,
  fieldsOf,
  firstOf,
  lackingIn,
  OLDEST,
  type Operation,
  type Requirement,
  type Requirements,
  type RootField,
  Schema,
  select,
  selectedText,
  type Selection,
  type Variant,
  type SendThrottled,
  SERVER_STATE,
  uncheckedDocument,
  type TypeReference,
} from '../graphql';
export {
  Address,
  firstHop,
  type FirstHop,
  identify,
  type Identity,
  type NetworkOptions,
  type ProxyOptions,
  readCertificate,
  readCredentials,
  resolveHost,
  timeConnection,
  type TlsOptions,
} from '../http';
export {
  type AbandonedJob,
  type JobStart,
  type LogEntry,
  type Pending,
  type PauseEnd,
  type QueuedJob,
  type QueueWatch,
  readId,
} from '../jobs';
export { BUILTIN_SCRAPER, hostOf, siteOf, siteOfAddress } from '../lookups';
export type { SentMutation } from './mutations';
export { checkOptions, type ServerOptions, type TestedServer } from './options';
export type { Reachability } from './reachability';
export { Server } from './server';
