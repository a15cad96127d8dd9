export type { CheckedDocument, RootField } from './checked-document';
export { type Documents, typeOfDocument } from './documents';
export { StashClient } from './client';
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
export { Schema, type TypeReference } from './schema';
export { offersState, SERVER_STATE } from './server-state';
export { fieldsOf, lackingIn, type Requirement, type Requirements } from './requirements';
export { firstOfUrls, select, type Selection } from './selection';
