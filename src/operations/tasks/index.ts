export {
  generate,
  generateOptions,
  generateRequirements,
  type PreviewOptions,
  previewPresets,
  selectedToGenerate,
} from './generate';
export {
  inputArgument,
  type InputFields,
  reportedJob,
  runTask,
  type Task,
  taskPaths,
  type TaskResult,
} from './run-task';
export { pause, type PauseState } from './pause';
export { packageTypes, type PluginTask, taskNames, taskRequirements } from './kinds';
export { stop, stopRequirements } from './stop';
export { task, type TaskDone, type TaskInput } from './task';
