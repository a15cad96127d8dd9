import type { Call } from '../../call';
import type { Plugin } from '../../contract/capabilities';
import { arrayOf, hasString, isRecord, isString, nullable, parsed } from '../../guards';
import type { Server } from '../../server';
import { isOfferable, shownText } from '../library';

/** More than anybody has. Further ones are left out. */
const MOST_PLUGINS = 1000;
const MOST_TASKS = 100;
const LONGEST_DESCRIPTION = 200;

/**
 * Lists the plugins with tasks, sorted by name, as the server's Tasks page has them: without those that are turned off.
 * @throws {StashError} as `Server.request`; UNSUPPORTED if the server lists no plugins.
 */
export async function pluginTasks(server: Server, call: Call): Promise<Plugin[]> {
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      if (!schema.has('Query', 'plugins')) throw schema.lacks('plugins');
      const enabled = schema.has('Plugin', 'enabled') ? 'enabled' : '';
      return {
        rootField: 'plugins',
        document: `{ plugins { id name ${enabled} tasks { name description } } }`,
        read: pluginReader(server),
      };
    },
  });
}

/** Returns the reader of the response, which is null before the setup. */
function pluginReader(server: Server): (plugins: unknown) => Plugin[] {
  return parsed(nullable(arrayOf(isRecord)), (plugins) =>
    (plugins ?? [])
      .flatMap(({ id, name, enabled, tasks }) => {
        if (!isString(id) || !isOfferable(id) || !isString(name) || enabled === false) return [];
        const named = Array.isArray(tasks) ? tasks.filter(hasString('name')) : [];
        const offered = named.filter((task) => isOfferable(task.name)).slice(0, MOST_TASKS);
        if (offered.length === 0) return [];
        return [{ id, name: shownText(server, name), tasks: offered.map((task) => entryOf(server, task)) }];
      })
      .slice(0, MOST_PLUGINS)
      .sort((one, other) => one.name.localeCompare(other.name)),
  );
}

function entryOf(server: Server, task: { name: string }): Plugin['tasks'][number] {
  const { name } = task;
  const description = hasString('description')(task) ? task.description : '';
  return {
    name,
    label: shownText(server, name),
    description: shownText(server, description, LONGEST_DESCRIPTION),
  };
}
