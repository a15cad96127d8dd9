export { reportAbandoned } from './abandoned-job';
export { actionNode } from './action-node';
export { listAsDeployed, listAsGone } from './activity';
export { checkVariables } from './environment';
export { leave, take } from './handover';
export * from './inputs';
export { contextStore } from './persisted-state';
export { networkOf } from './network-nodes';
export { MOST_RESULTS, type Preview } from './preview';
export { addCapabilitiesRoute } from './routes/capabilities';
export { addFindRoute, addTestRoute } from './routes/connection-test';
export { addFolderRoute } from './routes/folder';
export { addPictureRoute } from './routes/picture';
export { addQuestionRoute } from './routes/question';
export {
  addActivityRoute,
  addClearErrorsRoute,
  addPlayerRoute,
  addResumeRoute,
  addStopRoute,
} from './routes/sidebar';
export { addTrialRoute } from './routes/trial';
export type { NodeCredentials, ServerNode } from './server-node';
export { type ServerProperties, settingsOf } from './server-settings';
export {
  type ActivityStatus,
  type EventMessage,
  type FailedEvent,
  type Following,
  triggerNode,
} from './trigger-node';
export {
  detail,
  detailsOf,
  endOf,
  firstNames,
  type FindText,
  type NodeRED,
  outcomeOf,
  replyOfTask,
  startOf,
  valuesOf,
} from './words';
