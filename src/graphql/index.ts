export type { BuildOperation, Operation, OperationRequest, RequestKind } from './operation';
export { INTROSPECTION, Schema } from './schema';
export { checkState } from './server-state';
