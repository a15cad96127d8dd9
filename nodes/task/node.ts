import {
  actionNode,
  checkbox,
  choice,
  chosenItems,
  type FindText,
  jobInputs,
  type NodeRED,
  replyOfTask,
  texts,
} from '../../src/flow';
import { packageTypes, task, type TaskDone, type TaskInput, taskNames } from '../../src/operations/tasks';
import words from './words/en-US.json';
import { options, pluginTask } from './inputs';

/** stash-task: runs any other task of the server's Tasks page. */
export default (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-task',
    actionNode(RED, {
      inputs: {
        task: choice('task', taskNames),
        pluginTask: pluginTask('plugin', 'pluginTask'),
        packageType: choice('packageType', packageTypes),
        options: options('options'),
        dryRun: checkbox('dryRun'),
        paths: texts('paths', 'library'),
        items: chosenItems('sceneIDs', 'all'),
        cleanAnyway: checkbox('cleanAnyway'),
        ...jobInputs,
      },
      run: task,
      reply: (done, input, text) => replyOfTask(done, subjectOf(text, done, input), input.items?.scene[0]),
    }),
  );
};

/** Returns the task as the subject of a sentence. */
function subjectOf(
  text: FindText<typeof words>,
  { items, isDryRun, replacedBy }: TaskDone,
  input: TaskInput,
): string {
  const { task: name, pluginTask, packageType } = input;
  const paths = replacedBy ?? input.paths;
  const run = text(`what.${name}`, {
    plugin: pluginTask?.task ?? '',
    type: text(`packageType.${packageType}`),
  });
  const what = isDryRun ? text('what.dryRun', { what: run }) : run;
  if (items && !replacedBy) return text('what.items', { what, count: items.known.length });
  if (!paths) return what;
  const { length: count, 0: path = '' } = paths;
  return count === 1 ? text('what.path', { what, path }) : text('what.paths', { what, count });
}
