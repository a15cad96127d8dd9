export { ChangeRows, checkChangeRows, shownChanges } from './change-rows';
