export { type ChangesEvent, followChanges, type ItemEvent } from './changes';
