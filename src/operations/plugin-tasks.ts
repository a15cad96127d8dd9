import type { Call } from '../call';
import { arrayOf, hasString, isRecord, isString, nullable, parsed } from '../guards';
import type { Server } from '../server';

/** A plugin of the server that has tasks. */
export interface PluginWithTasks {
  id: string;
  /** At most 100 UTF-16 units. */
  name: string;
  tasks: { name: string; description: string }[];
}

/** More than anybody has. Further ones are left out. */
const MOST_PLUGINS = 1000;
const MOST_TASKS = 100;
const LONGEST_NAME = 100;
const LONGEST_DESCRIPTION = 200;

/**
 * Lists the plugins with tasks, sorted by name, as the server's Tasks page has them: without those that are turned off.
 * @throws {StashError} as `Server.request`; UNSUPPORTED before v0.3.0.
 */
export async function pluginTasks(server: Server, call: Call): Promise<PluginWithTasks[]> {
  return server.request({
    kind: 'query',
    call,
    build: (schema) => {
      if (!schema.has('Query', 'plugins')) throw schema.lacks('plugins', 'v0.3.0');
      const enabled = schema.has('Plugin', 'enabled') ? 'enabled' : '';
      return {
        rootField: 'plugins',
        document: `{ plugins { id name ${enabled} tasks { name description } } }`,
        read: readPlugins,
      };
    },
  });
}

// Null before the setup.
const readPlugins = parsed(nullable(arrayOf(isRecord)), (plugins) =>
  (plugins ?? [])
    .flatMap(({ id, name, enabled, tasks }) => {
      if (!isString(id) || !isString(name) || enabled === false) return [];
      const named = Array.isArray(tasks) ? tasks.filter(hasString('name')) : [];
      if (named.length === 0) return [];
      return [{ id, name: name.slice(0, LONGEST_NAME), tasks: named.slice(0, MOST_TASKS).map(taskOf) }];
    })
    .slice(0, MOST_PLUGINS)
    .sort((one, other) => one.name.localeCompare(other.name)),
);

function taskOf(task: { name: string }): PluginWithTasks['tasks'][number] {
  const description = hasString('description')(task) ? task.description : '';
  return { name: task.name, description: description.slice(0, LONGEST_DESCRIPTION) };
}
