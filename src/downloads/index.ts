export { fetchFile } from './download';
export type { Sink } from './transfer';
