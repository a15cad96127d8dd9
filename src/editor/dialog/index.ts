export { prepareDialog } from './prepare';
export { stash } from './register-type';
