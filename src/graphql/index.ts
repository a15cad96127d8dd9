export type { CheckedDocument, RootField } from './checked-document';
export { StashClient, type StashClientOptions } from './client';
export { type Documents, uncheckedDocument } from './documents';
export { isIncompatible } from './error-meaning';
export { checkedInput } from './input-value';
export type {
  BuildOperation,
  Lookup,
  Operation,
  OperationRequest,
  SendRequest,
  RunThrottled,
  SendThrottled,
  TimeLimits,
} from './operation';
export { OLDEST, Schema, type TypeReference } from './schema';
export {
  fieldsOf,
  firstOf,
  lackingIn,
  type Requirement,
  type Requirements,
  select,
  selectedText,
  type Selection,
  type Variant,
} from './schema-fields';
export { SERVER_STATE } from './server-state';
