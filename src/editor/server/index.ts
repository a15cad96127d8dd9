export { Diagnosis } from './diagnosis';
export { prepareSearch } from './find-stash';
export { endGuide, type Guide, guideThrough, offerFirstServer, showSetUpLink } from './first-use';
export { showServerNote } from './note';
export { preselectOnlyServer, useOnlyServer } from './only-server';
export { arePathRows, pathMapInDialog, showPathMap } from './path-map';
export { type CapabilitiesState, reasonOf, SelectedServer } from './selected-server';
export { runtimeConfigId, runtimeId, undeployedText } from './subflow';
