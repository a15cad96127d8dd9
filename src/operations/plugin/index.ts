export { type Told, toldIn } from './lines';
