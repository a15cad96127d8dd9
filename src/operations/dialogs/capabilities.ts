import { canQuickCheck } from '../../backups';
import type { Call } from '../../call';
import type { Capabilities, LibraryFolder, Plugin } from '../../contract/capabilities';
import { textIn } from '../../contract/values';
import { StashError } from '../../errors';
import { arrayOf, hasString, isRecord, isString, nullable, parsed } from '../../guards';
import { lackingIn, type Requirements, type Schema, type Server } from '../../server';
import { backupRequirements } from '../backup';
import { findRequirements } from '../find';
import { isSelectable, libraryFolders, shownText, statusRequirements, studioRequirements } from '../library';
import { performerScrapeRequirements, performerScrapers } from '../performers';
import { playbackRequirements } from '../playback';
import { installedPlugin } from '../plugin';
import { scanRequirements } from '../scan';
import { updateRequirements } from '../update';
import { generateRequirements, selectedToGenerate, stopRequirements, taskRequirements } from '../tasks';

/** What the dialogs offer that not every release has, by the names of the nodes. */
const requirements: Readonly<Record<string, Requirements>> = {
  backup: backupRequirements,
  find: findRequirements,
  scan: scanRequirements,
  generate: generateRequirements,
  status: statusRequirements,
  stop: stopRequirements,
  playback: playbackRequirements,
  'performer-scrape': performerScrapeRequirements,
  studios: studioRequirements,
  task: taskRequirements,
  update: updateRequirements,
};

/** The first Node.js that can check a backup with SQLite. */
const QUICK_CHECK_SINCE = 'Node.js 22.13';

/** What pauses need, beside the release. */
const PLUGIN = 'Stash v0.25 + plugin';

/** Finds out what a server can do. @throws {StashError} as `Server.request`, if the server is unavailable. */
export async function capabilities(server: Server, call: Call): Promise<Capabilities<StashError>> {
  // First by itself: if it fails, all others would fail for the same reason.
  const { release, lacks: lacking } = await schemaFacts(server, call);
  const [folders, scrapers, plugins, socket, generate, plugin] = await Promise.all([
    orError(folderList(server, call)),
    orError(performerScrapers(server, call)),
    orError(pluginTasks(server, call)),
    orError(hasSocket(server, call)),
    orError(selectedToGenerate(server, call)),
    orError(installedPlugin(server, call)),
  ]);
  const hasPlugin = !(plugin instanceof StashError) && plugin.isEnabled;
  const lacks = hasPlugin ? lacking : { ...lacking, playback: { ...lacking['playback'], paused: PLUGIN } };
  return { release, lacks, folders, scrapers, plugins, socket, hasPlugin, generate };
}

/** Returns what the schema tells. The server may have been upgraded without a failed request: then it is read again. */
async function schemaFacts(server: Server, call: Call): Promise<Pick<Capabilities, 'release' | 'lacks'>> {
  const facts = await requestFacts(server, call);
  if (!facts.isOutdated) return facts;
  server.client.discardSchema();
  return await requestFacts(server, call);
}

async function requestFacts(server: Server, call: Call) {
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => ({
      rootField: 'version',
      document: '{ version { version } }',
      read: parsed(hasString('version'), (version) => ({
        isOutdated: schema.isOutdated(version, (text) => server.redact(text)),
        // The release of the schema is checked, and harmless to show.
        release: schema.release,
        lacks: lacksOf(schema),
      })),
    }),
  });
}

function lacksOf(schema: Schema): Capabilities['lacks'] {
  const byNode = Object.entries(requirements).map(([node, required]) => {
    // People name a release such as v0.20.0 without its last zero.
    const lacking = Object.entries(lackingIn(schema, required));
    return [
      node,
      Object.fromEntries(lacking.map(([name, since]) => [name, `Stash ${since.replace(/\.0$/, '')}`])),
    ] as const;
  });
  const lacks = Object.fromEntries(byNode);
  if (!canQuickCheck()) lacks['backup'] = { ...lacks['backup'], quickCheck: QUICK_CHECK_SINCE };
  return lacks;
}

/** Returns whether the server reports its jobs over a WebSocket; null behind a configured proxy. */
async function hasSocket(server: Server, call: Call): Promise<boolean | null> {
  try {
    return (await server.tryLiveEvents(call)) ? true : null;
  } catch (error) {
    call.signal.throwIfAborted();
    if (error instanceof StashError && error.code === 'UNREACHABLE') return false;
    throw error;
  }
}

async function folderList(server: Server, call: Call): Promise<LibraryFolder[]> {
  const folders = await libraryFolders(server, call);
  return folders.filter(isSelectable).map((path) => ({ path, label: server.redact(path) }));
}

/** Returns the error with which a request fails. @throws any other error, which is a bug. */
async function orError<T>(request: Promise<T>): Promise<T | StashError> {
  return await request.catch((error: unknown) => {
    if (error instanceof StashError) return error;
    throw error;
  });
}

/** More than anybody has. Further ones are left out. */
const MOST_PLUGINS = 1000;
const MOST_TASKS = 100;
const LONGEST_DESCRIPTION = 200;

/**
 * Lists the plugins with tasks, sorted by name, as the server's Tasks page has them: without those that are turned off.
 * @throws {StashError} as `Server.request`; UNSUPPORTED if the server lists no plugins.
 */
export async function pluginTasks(server: Server, call: Call): Promise<Plugin[]> {
  const taskOf = ({ name, description }: { name: string; description?: unknown }) => ({
    name,
    label: shownText(server, name),
    description: shownText(server, textIn(description), LONGEST_DESCRIPTION),
  });
  const pluginOf = ({ id, name, enabled, tasks }: Readonly<Record<string, unknown>>): Plugin[] => {
    if (!isString(id) || !isSelectable(id) || !isString(name) || enabled === false) return [];
    const named = Array.isArray(tasks) ? tasks.filter(hasString('name')) : [];
    const offered = named.filter((task) => isSelectable(task.name)).slice(0, MOST_TASKS);
    return offered.length === 0 ? [] : [{ id, name: shownText(server, name), tasks: offered.map(taskOf) }];
  };
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      if (!schema.has('Query', 'plugins')) throw schema.lacks('plugins');
      const enabled = schema.has('Plugin', 'enabled') ? 'enabled' : '';
      return {
        rootField: 'plugins',
        document: `{ plugins { id name ${enabled} tasks { name description } } }`,
        // It is null before the setup.
        read: parsed(nullable(arrayOf(isRecord)), (plugins) => {
          const listed = (plugins ?? []).flatMap(pluginOf).slice(0, MOST_PLUGINS);
          return listed.sort((one, other) => one.name.localeCompare(other.name));
        }),
      };
    },
  });
}
