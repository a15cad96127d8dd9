import { isFilled } from '../../src/contract/values';
import {
  disableWhile,
  type EditorNode,
  freshReply,
  inputOf,
  jobOutputLabel,
  lastName,
  minutes,
  nameTypedInput,
  pathsInput,
  pluginTaskPicker,
  prepareReply,
  prepareScope,
  sceneIDsInput,
  showRows,
  stash,
  TypedInput,
  words,
} from '../../src/editor';

const WHOLE: readonly string[] = ['all'];
const CAN_RUN_DRY: readonly string[] = ['metadataClean', 'metadataCleanGenerated'];
const ITEMS: readonly string[] = ['all', 'scenes', 'folders'];
const tasks: Readonly<Record<string, { scopes: readonly string[]; hasOptions: boolean }>> = {
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
const plugin = new TypedInput('plugin', {
  type: 'str',
  pickers: [pluginTaskPicker()],
  types: ['msg', 'flow', 'global', 'jsonata'],
  item: /./,
  isUsed: (node) => chosenTask(node) === 'runPluginTask',
  invalid: 'task:invalid.plugin',
});
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
    plugin: plugin.value,
    pluginType: plugin.type,
    pluginTask: { value: '' },
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
  fresh: () => freshReply,
  oneditprepare(server) {
    plugin.show(server);
    paths.show(server);
    sceneIDs.show(server);
    options.show(server);
    const limitScope = prepareScope(this, {
      scenes: { input: sceneIDs, rows: '#stash-scenes' },
      folders: { input: paths, rows: '#stash-paths' },
    });
    prepareTask(this, limitScope);
    prepareReply(this);
  },
  labelSuffix() {
    const name = this['task'];
    // A task that only a newer version knows has no words here.
    if (typeof name !== 'string' || !(name in tasks)) return '';
    const what = words(`task:task.${name}`);
    const isDry = this['dryRun'] === true && CAN_RUN_DRY.includes(name);
    const suffix = `: ${isDry ? words('task:what.dryRun', { what }) : what}`;
    const value = sceneIDs.shownIn(this) || paths.shownIn(this, lastName);
    if (name === 'runPluginTask') return pluginIn(this) || suffix;
    return value ? `${suffix}, ${value}` : suffix;
  },
});

/** Returns the chosen task: in an open dialog, otherwise as saved. */
function chosenTask(node: EditorNode): string {
  const chosen = inputOf(node, 'task').val();
  return typeof chosen === 'string' ? chosen : savedTask(node);
}

/** Returns the plugin's task for the label of the node; empty if none was chosen. */
function pluginIn(node: EditorNode): string {
  const { pluginType = 'str', pluginTask } = node;
  const value = pluginType === 'str' ? pluginTask : plugin.shownIn(node);
  return isFilled(value) ? `: ${value}` : '';
}

function savedTask({ task }: EditorNode): string {
  return typeof task === 'string' ? task : 'metadataIdentify';
}

/** Shows the rows that the chosen task has, and what it does. */
function prepareTask(node: EditorNode, limitScope: (offered: readonly string[]) => void): void {
  const select = $('#node-input-task');
  const update = () => {
    const name = chosenTask(node);
    const { scopes, hasOptions } = tasks[name] ?? { scopes: ITEMS, hasOptions: true };
    // Some releases can limit a task to folders, but not this one.
    $('#stash-scope option[value="folders"]').attr('data-needs', `${name}.paths`);
    limitScope(scopes);
    options.use(hasOptions, '');
    showRows(node, $('#stash-options'), hasOptions);
    const label = words(name === 'runPluginTask' ? 'task:field.arguments' : 'task:field.options');
    $('#stash-options-label').text(label);
    nameTypedInput($('#node-input-options'), label);
    showRows(node, $('#stash-plugin'), name === 'runPluginTask');
    showRows(node, $('#stash-packages'), name === 'updatePackages');
    showRows(node, $('#stash-dry-run'), CAN_RUN_DRY.includes(name));
    showRows(node, $('#stash-clean-anyway'), name === 'metadataClean');
    $('#stash-task-note').text(name in tasks ? words(`task:note.${name}`) : '');
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
