export { showTrial } from './trial';
