export { Diagnosis } from './diagnosis';
export { prepareSearch } from './find-stash';
export { endGuide, type Guide, guideThrough, offerFirstServer, showSetUpLink } from './first-use';
export { showServerNote } from './note';
export { preselectOnlyServer, useOnlyServer } from './only-server';
export { arePathRows, pathMapInDialog, showPathMap } from './path-map';
export { entered, referenceWith, type ServerReference, STORED } from './reference';
export { type CapabilitiesState, needsDeploy, reasonOf, SelectedServer } from './selected-server';
export { runtimeId, undeployedText } from './subflow';
