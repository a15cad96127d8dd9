export { fetchWhole, type Sink } from './download';
