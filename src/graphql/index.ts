export type { CheckedDocument, RootField } from './checked-document';
export { StashClient } from './client';
export { type Documents, typeOfDocument } from './documents';
export { checkedInput } from './input-value';
export type {
  BuildOperation,
  Lookup,
  Operation,
  OperationRequest,
  SendRequest,
  SendThrottled,
  TimeLimits,
} from './operation';
export { fieldsOf, lackingIn, type Requirement, type Requirements } from './requirements';
export { OLDEST, Schema } from './schema';
export { firstOfUrls, select, type Selection } from './selection';
export { SERVER_STATE } from './server-state';
