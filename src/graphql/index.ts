export { StashClient } from './client';
export type {
  BuildOperation,
  Lookup,
  Operation,
  OperationRequest,
  RequestKind,
  SendRequest,
  SendThrottled,
} from './operation';
export { Schema } from './schema';
