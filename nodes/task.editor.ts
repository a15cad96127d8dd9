import {
  disableWhile,
  type EditorNode,
  isFilled,
  jobOutputLabel,
  lastName,
  minutes,
  pathsInput,
  prepareReply,
  prepareScope,
  sceneIDsInput,
  type SelectedServer,
  showRows,
  showServerChoice,
  stash,
  TypedInput,
  validator,
  words,
} from '../src/editor';

/** What a dialog offers for each task. */
interface TaskDialog {
  scopes: readonly string[];
  hasOptions: boolean;
}

const WHOLE: readonly string[] = ['all'];
const ITEMS: readonly string[] = ['all', 'scenes', 'folders'];
const tasks: Readonly<Record<string, TaskDialog>> = {
  metadataIdentify: { scopes: ITEMS, hasOptions: true },
  metadataAutoTag: { scopes: ITEMS, hasOptions: true },
  metadataClean: { scopes: ['all', 'folders'], hasOptions: true },
  metadataCleanGenerated: { scopes: WHOLE, hasOptions: true },
  optimiseDatabase: { scopes: WHOLE, hasOptions: false },
  metadataExport: { scopes: WHOLE, hasOptions: false },
  runPluginTask: { scopes: WHOLE, hasOptions: true },
  updatePackages: { scopes: WHOLE, hasOptions: false },
};

const paths = pathsInput();
const sceneIDs = sceneIDsInput();
const options = new TypedInput('options', {
  type: 'server',
  types: ['json', 'msg', 'flow', 'global', 'env', 'jsonata'],
  bare: { type: 'server', label: 'task:everything.options' },
  item: /^\{/,
  invalid: 'task:invalid.options',
});

stash.registerType('stash-task', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-task.svg',
  inputs: 1,
  outputs: 1,
  outputLabels: jobOutputLabel,
  defaults: {
    task: { value: 'metadataIdentify' },
    plugin: {
      value: '',
      validate: validator('task:invalid.plugin', (given, node) => isChosen(given, node)),
    },
    pluginTask: {
      value: '',
      validate: validator('task:invalid.plugin', (given, node) => isChosen(given, node)),
    },
    packageType: { value: 'Plugin' },
    sceneIDs: sceneIDs.value,
    sceneIDsType: sceneIDs.type,
    paths: paths.value,
    pathsType: paths.type,
    options: options.value,
    optionsType: options.type,
    dryRun: { value: false },
    cleanAnyway: { value: false },
    reply: { value: 'started' },
    sendFailed: { value: false },
    waitLimit: minutes('0', 'server:invalid.waitLimit'),
    stalledAfter: minutes('10', 'server:invalid.stalledAfter'),
    outputs: { value: 1 },
  },
  oneditprepare(server) {
    paths.show();
    sceneIDs.show();
    options.show();
    const limitScope = prepareScope(this, {
      scenes: { input: sceneIDs, rows: '#stash-scenes' },
      folders: { input: paths, rows: '#stash-paths' },
    });
    prepareTask(this, limitScope);
    showPluginTasks(this, server);
    prepareReply(this);
  },
  labelSuffix() {
    const name = this['task'];
    // A task that only a newer version knows has no words here.
    if (typeof name !== 'string' || !(name in tasks)) return '';
    const suffix = `: ${words(`task:task.${name}`)}`;
    const value = sceneIDs.shownIn(this) || paths.shownIn(this, lastName);
    if (name === 'runPluginTask') return isFilled(this['pluginTask']) ? `: ${this['pluginTask']}` : suffix;
    return value ? `${suffix}, ${value}` : suffix;
  },
});

/** Returns whether a property is filled, or the task needs no plugin. */
function isChosen(given: unknown, node: EditorNode): boolean {
  return isFilled(given) || taskOf(node) !== 'runPluginTask';
}

/** Returns the chosen task: in an open dialog, otherwise as saved. */
function taskOf(node: EditorNode): string {
  const chosen = $('#node-input-task').val();
  return typeof chosen === 'string' ? chosen : savedTask(node);
}

function savedTask({ task }: EditorNode): string {
  return typeof task === 'string' ? task : 'metadataIdentify';
}

/** Shows the rows that the chosen task has, and what it does. */
function prepareTask(node: EditorNode, limitScope: (offered: readonly string[]) => void): void {
  const select = $('#node-input-task');
  const update = () => {
    const name = taskOf(node);
    const { scopes, hasOptions } = tasks[name] ?? { scopes: WHOLE, hasOptions: true };
    const canRunDry = name === 'metadataClean' || name === 'metadataCleanGenerated';
    // Some releases can limit a task to folders, but not this one.
    $('#stash-scope option[value="folders"]').attr('data-needs', `${name}.paths`);
    limitScope(scopes);
    options.use(hasOptions, '');
    showRows(node, $('#stash-options'), hasOptions);
    $('.stash-options').toggle(name !== 'runPluginTask');
    $('.stash-arguments').toggle(name === 'runPluginTask');
    showRows(node, $('#stash-packages'), name === 'updatePackages');
    showRows(node, $('#stash-dry-run'), canRunDry);
    showRows(node, $('#stash-clean-anyway'), name === 'metadataClean');
    $('#stash-task-note').text(words(`task:note.${name}`));
  };
  select.on('change', update);
  update();
  const dryRun = $('#node-input-dryRun');
  const grey = () => {
    disableWhile($('#node-input-cleanAnyway'), 'dryRun', dryRun.is(':checked'));
  };
  dryRun.on('change', grey);
  grey();
}

/**
 * Shows the tasks of the server's plugins as a list. Two inputs, for the plugin and its task, replace it if the server is
 * unavailable.
 */
function showPluginTasks(node: EditorNode, server: SelectedServer): void {
  const plugin = $('#node-input-plugin');
  const task = $('#node-input-pluginTask');
  const label = $("label[for='node-input-plugin']");
  const list = $('<select>', { id: 'stash-plugin-tasks' });
  plugin.after(list);

  let isListed = true;
  const update = () => {
    const isPlugin = taskOf(node) === 'runPluginTask';
    $('#stash-plugin').toggle(isPlugin);
    $('#stash-plugin-task').toggle(isPlugin && !isListed);
    plugin.toggle(!isListed);
    list.toggle(isListed);
    label.attr('for', isListed ? 'stash-plugin-tasks' : 'node-input-plugin');
    label.find('span').text(words(isListed ? 'task:field.plugin' : 'task:field.pluginId'));
    plugin.add(task).trigger('change');
  };
  const entry = (value: string, text: string, title = '') => $('<option>', { value, text, title });
  const valueOf = (id: unknown, name: unknown) => JSON.stringify([id, name]);
  showServerChoice(server, 'plugins', {
    controls: plugin.add(list),
    hint: 'task:plugins.type',
    show(plugins) {
      const chosen = valueOf(plugin.val(), task.val());
      const groups = (plugins ?? []).map(({ id, name, tasks: own }) =>
        $('<optgroup>', { label: name }).append(
          own.map((one) => entry(valueOf(id, one.name), one.name, one.description)),
        ),
      );
      list.empty().append(groups).val(chosen);
      // A saved choice is kept, even if this server does not have it.
      if (list.val() !== chosen) {
        list.prepend(entry(chosen, textWithout(String(task.val()), plugins))).val(chosen);
      }
      isListed = true;
      update();
    },
    fail() {
      isListed = false;
      update();
    },
  });
  list.on('change', () => {
    const [id, name] = JSON.parse(String(list.val())) as [string, string];
    plugin.val(id);
    task.val(name);
    plugin.add(task).trigger('change');
  });
  $('#node-input-task').on('change', update);
  update();
}

/** Returns the text for a choice that is not in the list: none was made, the list is not there yet, or it lacks the task. */
function textWithout(task: string, plugins: readonly unknown[] | undefined): string {
  if (task !== '') return plugins ? words('task:plugins.unknown', { task }) : task;
  return words(plugins?.length === 0 ? 'task:plugins.none' : 'task:plugins.choose');
}
