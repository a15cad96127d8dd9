export { StashClient } from './client';
export { checkedInput } from './input-value';
export type {
  BuildOperation,
  Lookup,
  Operation,
  OperationRequest,
  RequestKind,
  SendRequest,
  SendThrottled,
} from './operation';
export { Schema, type TypeReference } from './schema';
export { offersState, SERVER_STATE } from './server-state';
