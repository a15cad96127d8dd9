import { StashError } from '../../errors';
import { isRecord, isString } from '../../guards';
import { checkedInput, OLDEST, type Requirement, type Requirements, type Schema } from '../../server';
import type { Argument, Task } from './run-task';

/** The tasks of the server's Tasks page that have no operation of their own here, by the names of their mutations. */
export const taskNames = [
  'metadataIdentify',
  'metadataAutoTag',
  'metadataClean',
  'metadataCleanGenerated',
  'optimiseDatabase',
  'metadataExport',
  'runPluginTask',
  'updatePackages',
] as const;
export type TaskName = (typeof taskNames)[number];

export const packageTypes = ['Plugin', 'Scraper'] as const;
export type PackageType = (typeof packageTypes)[number];

/** A task of a plugin: the id of the plugin, and the name of its task. */
export interface PluginTask {
  plugin: string;
  task: string;
}

/** What distinguishes a task from the others. */
interface TaskKind extends Omit<Task, 'arguments' | 'operation'> {
  /** The type of its one argument `input`; absent if it has none or others. */
  input?: string;
  /** The parts of the library that it can be limited to: folders, with the first release that can do that, and items. */
  scopes: Readonly<{ paths?: string; items?: true }>;
}

/** All tasks, with the first release that has each, and the descriptions of their jobs. */
export const taskKinds: Readonly<Record<TaskName, TaskKind>> = {
  metadataIdentify: {
    since: 'v0.11.0',
    description: 'Identifying...',
    input: 'IdentifyMetadataInput',
    scopes: { paths: 'v0.11.0', items: true },
  },
  metadataAutoTag: {
    since: OLDEST,
    description: 'Auto-tagging...',
    input: 'AutoTagMetadataInput',
    scopes: { paths: OLDEST, items: true },
  },
  metadataClean: {
    since: OLDEST,
    description: 'Cleaning...',
    input: 'CleanMetadataInput',
    scopes: { paths: 'v0.12.0' },
  },
  metadataCleanGenerated: {
    since: 'v0.25.0',
    description: 'Cleaning generated files...',
    input: 'CleanGeneratedInput',
    scopes: {},
  },
  optimiseDatabase: { since: 'v0.22.0', description: 'Optimising database...', scopes: {} },
  metadataExport: { since: OLDEST, description: 'Exporting...', scopes: {} },
  runPluginTask: { since: OLDEST, description: 'Running plugin task: ', scopes: {} },
  updatePackages: { since: 'v0.24.0', description: 'Updating packages...', scopes: {} },
};

/** The tasks that not every release has, and their limits to folders. */
export const taskRequirements: Requirements = Object.fromEntries(taskNames.flatMap(requirementsOf));

function requirementsOf(name: TaskName): [string, Requirement][] {
  const { since, input, scopes } = taskKinds[name];
  const task: [string, Requirement] = [name, { anyOf: [['Mutation', name]], since }];
  if (!input || !scopes.paths) return [task];
  return [task, [`${name}.paths`, { anyOf: [[input, 'paths']], since: scopes.paths }]];
}

/** A task with all that it is to do. */
interface ChosenTask {
  name: TaskName;
  pluginTask: PluginTask | null;
  packageType: PackageType;
  options: Readonly<Record<string, unknown>>;
}

/**
 * Returns the task as a server runs it. Its options are checked against the server's own types, so that nothing is sent that
 * the server would refuse, or silently ignore.
 */
export function taskOf({ name, pluginTask, packageType, options }: ChosenTask): Task {
  const { since, description, input, scopes } = taskKinds[name];
  const task = { operation: name, since, description };
  if (input !== undefined) {
    return {
      ...task,
      arguments: (schema) => {
        const { paths } = scopes;
        if (!schema.fieldsOf(input)) throw schema.lacks(input, since);
        if (paths !== undefined && 'paths' in options && !schema.has(input, 'paths')) {
          throw schema.lacks('paths', paths);
        }
        return [{ name: 'input', type: `${input}!`, value: checkedInput(schema, input, '', options) }];
      },
    };
  }
  switch (name) {
    case 'runPluginTask': {
      const { plugin, task: title } = pluginTask ?? { plugin: '', task: '' };
      return {
        ...task,
        description: description + title,
        // Servers before v0.25.0 respond "todo", although there is a job.
        isUnnamed: true,
        arguments: (schema) => [
          { name: 'plugin_id', type: 'ID!', value: plugin },
          { name: 'task_name', type: 'String!', value: title },
          ...pluginArguments(schema, options),
        ],
      };
    }
    case 'updatePackages':
      return {
        ...task,
        arguments: (schema) => [
          { name: 'type', type: 'PackageType!', value: packageType },
          ...packagesOf(schema, options),
        ],
      };
    default:
      return {
        ...task,
        arguments: (schema) => {
          rejectUnknown(schema, options, []);
          return [];
        },
      };
  }
}

/** Returns the packages to update; none for all of them. */
function packagesOf(schema: Schema, options: ChosenTask['options']): Argument[] {
  rejectUnknown(schema, options, ['packages']);
  const { packages } = options;
  if (packages === undefined || packages === null) return [];
  const list = Array.isArray(packages) ? packages : [packages];
  const value = list.map((one: unknown, index) =>
    checkedInput(schema, 'PackageSpecInput', `packages[${index}]`, one),
  );
  return [{ name: 'packages', type: '[PackageSpecInput!]', value }];
}

/** @throws {StashError} UNSUPPORTED for an option that the task does not have. */
function rejectUnknown(schema: Schema, options: ChosenTask['options'], known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw schema.lacksName(unknown);
}

/** The deepest arguments of a plugin; deeper ones are a mistake. */
const MOST_LEVELS = 100;

/**
 * Returns the arguments of `runPluginTask` for the arguments of a plugin: `args_map` since v0.25.0, before that `args`, a list of
 * typed values. None without any.
 */
function pluginArguments(schema: Schema, values: Readonly<Record<string, unknown>>): Argument[] {
  if (Object.keys(values).length === 0) return [];
  return schema.hasArgument('Mutation', 'runPluginTask', 'args_map')
    ? [{ name: 'args_map', type: 'Map', value: values }]
    : [{ name: 'args', type: '[PluginArgInput!]', value: typedArguments(values) }];
}

function typedArguments(values: Readonly<Record<string, unknown>>, level = 0) {
  return Object.entries(values).map(([key, value]) => {
    const typed = typedValue(value, level);
    return typed ? { key, value: typed } : { key };
  });
}

/** Returns undefined for null, which has no type: the plugin gets null for an argument without a value. */
function typedValue(value: unknown, level: number): Readonly<Record<string, unknown>> | undefined {
  if (level > MOST_LEVELS) {
    throw new StashError('BAD_INPUT.wrongType', { details: { name: 'options', type: '[PluginArgInput!]' } });
  }
  if (isString(value)) return { str: value };
  if (typeof value === 'boolean') return { b: value };
  // GraphQL integers have 32 bits.
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? { i: value } : { f: value };
  if (Array.isArray(value)) return { a: value.map((item) => typedValue(item, level + 1) ?? {}) };
  if (isRecord(value)) return { o: typedArguments(value, level + 1) };
  return undefined;
}
