import { type Task, TaskFailure } from './jobs';
import type { TaskState } from './tasks';

/** An installed plugin. */
export interface Plugin {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly version?: string;
  /** Only releases that can disable plugins heed it (true). */
  readonly enabled?: boolean;
  readonly tasks: readonly PluginTask[];
  /** Whether its hooks write nothing, because a test writes their lines (false). */
  readonly silent?: boolean;
}

export interface PluginTask {
  readonly name: string;
  readonly description?: string;
  /** What the plugin writes to its error output, line by line. */
  readonly stderr?: readonly string[];
  /** The error that the plugin returns, or its exit status, such as "exit status 3". */
  readonly error?: string;
}

/** A start of a plugin. */
export interface PluginRun {
  readonly plugin: string;
  /** Null for a plugin that runs without a task. */
  readonly task: string | null;
  /** As the plugin receives them. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** The plugins of a new server. */
export const PLUGINS: readonly Plugin[] = [
  {
    id: 'tidy',
    name: 'Tidy',
    description: 'Puts files in order',
    version: '1.2.0',
    tasks: [
      { name: 'Tidy up', description: 'Renames files after their titles' },
      { name: 'Break', description: 'Fails', stderr: ['cannot tidy up'], error: 'exit status 3' },
    ],
  },
  { id: 'echo', name: 'Echo', tasks: [{ name: 'Say hello' }] },
];

/** The parts of the server that plugins and packages use. */
export interface PluginState extends TaskState {
  readonly status: 'SETUP' | 'NEEDS_MIGRATION' | 'OK';
  plugins: readonly Plugin[];
  readonly pluginRuns: PluginRun[];
  /** What was set of plugins, in order. */
  readonly pluginSettings: { id: string; input: { commands?: string } }[];
}

/** The arguments of `runPluginTask`. */
export interface RunPluginInput {
  plugin_id: string;
  task_name?: string | null;
  description?: string | null;
  args?: readonly Argument[] | null;
  args_map?: Readonly<Record<string, unknown>> | null;
}

interface Argument {
  key: string;
  value?: Value | null;
}

interface Value {
  str?: string | null;
  i?: number | null;
  b?: boolean | null;
  f?: number | null;
  o?: readonly Argument[] | null;
  a?: readonly Value[] | null;
}

/** Returns the list of plugins as the server gives it. */
export function listPlugins({ status, plugins }: PluginState) {
  if (status === 'SETUP' || plugins.length === 0) return null;
  return plugins.map(({ tasks, ...plugin }) => {
    const listed = { description: null, url: null, version: null, enabled: true, ...plugin };
    const own = tasks.map(({ name, description = null }) => ({ name, description }));
    return { ...listed, tasks: own.length > 0 ? own : null };
  });
}

/** Returns a task that runs a plugin. It is FINISHED even if the plugin fails: only the log tells. */
export function runPlugin(server: PluginState, input: RunPluginInput): Task {
  const { serverLog, quirks } = server;
  const { plugin_id: id, task_name: taskName = null, description } = input;
  const plugin = server.plugins.find((each) => each.id === id);
  const task = plugin?.tasks.find(({ name }) => name === taskName);

  function problem(): string | undefined {
    if (plugin?.enabled === false && quirks.disablesPlugins) return `plugin ${id} is disabled`;
    if (!plugin) return `no plugin with ID ${id}`;
    if (!task && taskName !== null) return `no task with name ${taskName} in plugin ${plugin.name}`;
    return undefined;
  }

  return {
    description: `Running plugin task: ${description ?? taskName ?? id}`,
    silent: true,
    stopsAtOnce: true,
    begin() {
      if (server.status === 'SETUP') throw TaskFailure.panic();
      const reason = problem();
      if (reason !== undefined) throw new TaskFailure(`Error creating plugin task: ${reason}`);
      const args = input.args_map ? structuredClone(input.args_map) : mapOf(input.args ?? []);
      server.pluginRuns.push({ plugin: id, task: taskName, args });
      return [{}];
    },
    end(_, stopped) {
      if (stopped) return;
      for (const line of task?.stderr ?? []) {
        serverLog.write('Error', `[Plugin / ${plugin?.name ?? id}] ${line}`);
      }
      if (task?.error !== undefined) serverLog.write('Error', `Plugin returned error: ${task.error}`);
      else serverLog.write('Debug', 'Plugin returned no result');
    },
  };
}

/** Returns arguments as the plugin receives them. */
function mapOf(args: readonly Argument[]): Record<string, unknown> {
  return Object.fromEntries(args.map(({ key, value }) => [key, valueOf(value)]));
}

function valueOf(value: Value | null | undefined): unknown {
  const { str, i, b, f, o, a } = value ?? {};
  return str ?? i ?? b ?? f ?? (o ? mapOf(o) : a?.map(valueOf)) ?? null;
}

/** The arguments of `updatePackages`. */
export interface UpdateInput {
  packages?: readonly { id: string }[] | null;
}

/** Returns a task that updates the listed packages; without a list, none has an update. */
export function updatePackages({ serverLog }: PluginState, { packages }: UpdateInput): Task {
  return {
    description: 'Updating packages...',
    begin: () => (packages ?? []).map(({ id }) => ({ name: `Updating ${id}` })),
    end(_, stopped) {
      serverLog.write('Info', stopped ? 'Cancelled updating packages' : 'Finished updating packages');
    },
  };
}

/** The arguments of `installPackages`. */
export interface InstallInput {
  packages: readonly { id: string; sourceURL: string }[];
}

/** Returns a task that installs plugins. It is FINISHED even if a source has none: only the log tells. */
export function installPackages(server: PluginState, { packages }: InstallInput): Task {
  const { serverLog } = server;
  return {
    description: 'Installing packages...',
    begin: () => packages.map(({ id }) => ({ name: `Installing ${id}` })),
    end() {
      for (const { id, sourceURL } of packages) {
        const others = server.plugins.filter((plugin) => plugin.id !== id);
        const version = /(\d[\d.]*)\/index\.yml$/.exec(sourceURL)?.[1];
        if (version !== undefined) server.plugins = [...others, { id, name: id, version, tasks: [] }];
        else
          serverLog.write(
            'Error',
            `Error installing package ${id} from ${sourceURL}: installing package: getting remote package: listing remote packages: failed to get package list: failed to get remote file: 404 Not Found`,
          );
      }
      serverLog.write('Info', 'Finished installing packages');
    },
  };
}
