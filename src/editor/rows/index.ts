export { showChoices } from './choice-list';
export { dependOn, dependOnNumber, greyUnless, untickUnless } from './dependents';
export { pathsInput, sceneIDsInput, sourceInput } from './library-inputs';
export { jobOutputLabel, prepareReply } from './reply';
export { showRows } from './rows';
export { prepareScope } from './scope';
export { nameTypedInput, TypedInput } from './typed-input';
export { anyOf, count, isAnyTicked, minutes, number, selection, validator } from './validators';
