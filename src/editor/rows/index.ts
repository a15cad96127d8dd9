export { showChoices } from './choice-list';
export { dependOn, dependOnNumber, disableWhile, greyUnless, untickUnless } from './dependents';
export { pathsInput, sceneIDsInput, sourceInput } from './library-inputs';
export {
  freshReply,
  isUnknown,
  jobOutputLabel,
  prepareReply,
  prepareScope,
  selectSaved,
  showRows,
} from './rows';
export {
  firstOf,
  nameTypedInput,
  type OfferedType,
  showTypedInput,
  SOURCES,
  TypedInput,
} from './typed-input';
export { anyOf, count, isAnyTicked, minutes, number, selection, validator } from './validators';
