export { prepareDialog, stash } from './dialog';
export { type EditorNode, inputOf, type Value } from './node-red';
export { chosenPicker, enteredType, filterPicker, performerPicker, pluginTaskPicker } from './pickers';
export { type DocumentEditor, showDocument, VariableRows } from './query';
export {
  anyOf,
  count,
  dependOn,
  dependOnNumber,
  disableWhile,
  freshReply,
  greyUnless,
  isAnyTicked,
  isUnknown,
  jobOutputLabel,
  minutes,
  nameTypedInput,
  number,
  pathsInput,
  prepareReply,
  prepareScope,
  sceneIDsInput,
  selection,
  selectSaved,
  showChoices,
  showRows,
  sourceInput,
  TypedInput,
  untickUnless,
  validator,
} from './rows';
export {
  arePathRows,
  Diagnosis,
  endGuide,
  entered,
  type Guide,
  guideThrough,
  offerFirstServer,
  pathMapInDialog,
  prepareSearch,
  referenceWith,
  runtimeId,
  type SelectedServer,
  type ServerReference,
  showPathMap,
  showPlugin,
  STORED,
  useOnlyServer,
} from './server';
export { request } from './request';
export { addSidebarTab, removeSidebarTab } from './sidebar';
export { showTrial } from './trial';
export { ChangeRows, checkChangeRows, shownChanges } from './update';
export { lastName, shortPath } from './values';
export { sentenceOf, words } from './words';
