export { actionNode } from './action-node';
export { listAsDeployed } from './activity';
export { contextStore } from './context-store';
export { checkVariables } from './environment';
export {
  checkbox,
  checkboxes,
  choice,
  chosenItems,
  type Config,
  evaluated,
  type EvaluatedProperty,
  fixed,
  type FixedProperties,
  type FixedProperty,
  jobInputs,
  JSON_TYPES,
  markerIds,
  minutes,
  NAME_TYPES,
  number,
  optionalText,
  plainText,
  type Preset,
  type Property,
  readFixed,
  sceneIds,
  saved,
  seconds,
  selection,
  text,
  TEXT_TYPES,
  texts,
  ticked,
  trimmed,
  typed,
  unknownChoice,
  unlessType,
} from './inputs';
export { networkOf } from './network-nodes';
export { MOST_RESULTS, type Preview } from './preview';
export { addActivityRoute } from './routes/activity';
export { addCapabilitiesRoute } from './routes/capabilities';
export { addClearErrorsRoute } from './routes/clear-errors';
export { addFindRoute } from './routes/find';
export { addPictureRoute } from './routes/picture';
export { addQuestionRoute } from './routes/question';
export { addStopRoute } from './routes/stop';
export { addTestRoute } from './routes/test';
export { addTrialRoute } from './routes/trial';
export type { NodeCredentials, ServerNode } from './server-node';
export { type ActivityStatus, type EventMessage, type FailedEvent, triggerNode } from './trigger-node';
export {
  detail,
  detailsOf,
  duration,
  endOf,
  type FindText,
  type NodeRED,
  outcomeOf,
  replyOfTask,
  roughDuration,
  startOf,
  valuesOf,
} from './words';
