export { areChangeRows, ChangeRows } from './change-rows';
