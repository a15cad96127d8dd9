export { ChangeRows, checkChangeRows } from './change-rows';
