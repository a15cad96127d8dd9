import type { Call } from '../../call';
import type { Finding } from '../../contract/connection-test';
import { isOutdated, plugin } from '../../contract/plugin';
import type { PathRow } from '../../contract/server';
import { type ErrorCase, StashError } from '../../errors';
import { seenFolders } from '../../files';
import { isRecord, isString, parsed } from '../../guards';
import { containingOf, insideOf } from '../../paths';
import { redactTo } from '../../redact';
import { type Operation, type Schema, type Server, SERVER_STATE } from '../../server';
import { timing } from '../../timing';
import { libraryFolders } from '../library';
import { performerScrapers } from '../performers';
import { installedPlugin } from '../plugin';
import { found } from './check-list';
import { rounded } from './connection-checks';

const DAY = 24 * 60 * 60 * 1000;
/** An old release: before v0.26, and older than a year. */
const OLD = { minor: 26, days: 365 };
/** Releases before v0.14 have no socket that these nodes understand. */
const FIRST_WITH_SOCKET = 14;
/** The first release whose player saves what is watched by default. */
const FIRST_WITH_HISTORY = 26;
/** The most library folders to check on this machine. */
const MOST_FOLDERS = 20;
/** The longest folder to show, in UTF-16 units. */
const LONGEST_FOLDER = 60;

/** What the server reports about itself. */
export interface Facts {
  schema: Schema;
  /** When the release was built, in milliseconds since 1970; NaN if that is unknown. */
  built: number;
}

const VERSION: Operation<number> = {
  rootField: 'version',
  document: '{ version { version build_time } }',
  needsNoDatabase: true,
  read: parsed(isRecord, ({ build_time: time }) => (isString(time) ? timeOf(time) : NaN)),
};

/** Reads a time as all releases give it, such as `2025-12-18 05:25:41`, in UTC. */
function timeOf(text: string): number {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/.exec(text) ?? [];
  return date === undefined || time === undefined ? NaN : Date.parse(`${date}T${time}Z`);
}

/** Checks that the server answers GraphQL, and describes it. */
export async function checkGraphQL(server: Server, call: Call): Promise<Finding & { facts: Facts }> {
  const { schema, built, milliseconds } = await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      // The schema opened the connection, so this is the time of a node's request.
      const at = performance.now();
      const read = (version: unknown) => ({
        schema,
        built: VERSION.read(version),
        milliseconds: rounded(performance.now() - at),
      });
      return { ...VERSION, read };
    },
  });
  // The schema of the interface document, which replaces one that the server hides, has no version.
  const hasVersion = schema.has('Query', 'version');
  const finding = hasVersion ? found('ok', 'schema', { milliseconds }) : found('hint', 'noSchema');
  return { ...finding, facts: { schema, built } };
}

export function checkRelease({ schema: { release }, built }: Facts): Finding {
  if (release === '') return found('ok', 'noRelease');
  const days = Math.floor((Date.now() - built) / DAY);
  // The clocks of the machines may differ.
  if (!(days >= 0)) return found('ok', 'undatedRelease', { release });
  const isOld = isOlderThan(release, OLD.minor) && days > OLD.days;
  return isOld ? found('hint', 'oldRelease', { release, days }) : found('ok', 'release', { release, days });
}

/** Checks that the server is set up and its database is migrated. */
export async function checkServerState(server: Server, call: Call): Promise<Finding> {
  const state = await server.request({ kind: 'query', call, build: () => SERVER_STATE });
  const remedies = [{ kind: 'open' }] as const;
  switch (state) {
    case 'OK':
      return found('ok', 'ready');
    case 'SETUP':
      return { ...found('failed', 'setup'), case: 'SERVER_STATE.setup' satisfies ErrorCase, remedies };
    case 'NEEDS_MIGRATION':
      return {
        ...found('failed', 'migration'),
        case: 'SERVER_STATE.migration' satisfies ErrorCase,
        remedies,
      };
    default:
      return found('hint', 'otherState');
  }
}

/** Checks that the server reports its jobs immediately. */
export async function checkSocket(server: Server, { schema }: Facts, call: Call): Promise<Finding> {
  try {
    const isOpen = await server.tryLiveEvents(call);
    return isOpen ? found('ok', 'live') : found('neutral', 'polledByProxy');
  } catch (error) {
    call.signal.throwIfAborted();
    if (!(error instanceof StashError)) throw error;
    const isExpected = isOlderThan(schema.release, FIRST_WITH_SOCKET);
    return isExpected ? found('ok', 'polledByRelease') : found('hint', 'polled');
  }
}

/** Checks that the library has folders, and that the path map leads to them. */
export async function checkFolders(
  server: Server,
  pathMap: readonly PathRow[],
  call: Call,
): Promise<Finding> {
  let folders: string[];
  try {
    folders = await libraryFolders(server, call);
  } catch (error) {
    if (error instanceof StashError && error.code === 'UNSUPPORTED') return found('neutral', 'unlisted');
    throw error;
  }
  const count = folders.length;
  if (count === 0) return { ...found('hint', 'noFolders'), remedies: [{ kind: 'open' }] };
  const correct = { remedies: [{ kind: 'field', field: 'pathMap' }] } as const;
  const isInside = insideOf(folders);
  // A row may be for a folder above those of the library.
  const isAbove = containingOf(folders);
  const outside = pathMap.findIndex(({ there }) => !isInside(there) && !isAbove(there));
  if (outside >= 0) return { ...found('hint', 'rowOutside', { row: outside + 1 }), ...correct };
  if (pathMap.length > 0) return found('ok', 'foldersMapped', { count });
  const checked = folders.slice(0, MOST_FOLDERS);
  const seen = await seenFolders(checked, timing.diagnosis.folders, call.signal);
  if (!seen) return found('ok', 'folders', { count });
  const unseen = checked.filter((_folder, index) => seen[index] !== true);
  const [first] = unseen;
  if (first === undefined) return found('ok', 'foldersSeen', { count });
  // Without any, the library is probably on another machine: nothing is wrong.
  if (unseen.length === checked.length)
    return { ...found('neutral', 'foldersElsewhere', { count }), ...correct };
  const folder = redactTo(server.redact(first), LONGEST_FOLDER);
  return { ...found('hint', 'folderUnseen', { count, folder }), ...correct };
}

/** Checks that performers can be looked up at more than the built-in site. */
export async function checkScrapers(server: Server, call: Call): Promise<Finding> {
  const { length: count } = await performerScrapers(server, call);
  return count > 0 ? found('ok', 'scrapers', { count }) : found('hint', 'onlyBuiltIn');
}

/** Checks that Stash has the plugin, without which all that is watched is heard later, or not at all. */
export async function checkPlugin(server: Server, { schema }: Facts, call: Call): Promise<Finding> {
  const install = { remedies: [{ kind: 'field', field: 'plugin' }] } as const;
  try {
    const { version, isEnabled } = await installedPlugin(server, call);
    if (version !== null && !isEnabled) return found('hint', 'pluginDisabled');
    if (version === null) {
      const isHeard = await keepsHistory(server, schema, call);
      return { ...(isHeard ? found('neutral', 'pluginMissing') : found('hint', 'noHistory')), ...install };
    }
    const { version: newest } = plugin;
    if (!isOutdated(version)) return found('ok', 'pluginReady', { version });
    return { ...found('hint', 'pluginOutdated', { version, newest }), ...install };
  } catch (error) {
    if (error instanceof StashError && error.code === 'UNSUPPORTED')
      return found('neutral', 'pluginUnsupported');
    throw error;
  }
}

/** Whether Stash's player saves what is watched. Before v0.26, it does so only once somebody has turned it on. */
async function keepsHistory(server: Server, { release }: Schema, call: Call): Promise<boolean> {
  const setting = await server.request({
    kind: 'query',
    call,
    build: () => ({
      rootField: 'configuration',
      document: '{ configuration { ui } }',
      read: parsed(isRecord, ({ ui }) => (isRecord(ui) ? ui['trackActivity'] : undefined)),
    }),
  });
  return typeof setting === 'boolean' ? setting : !isOlderThan(release, FIRST_WITH_HISTORY);
}

/** Whether a release is older than v0.<minor>. */
function isOlderThan(release: string, minor: number): boolean {
  const [, ours] = /^v?0\.(\d+)/.exec(release) ?? [];
  return ours !== undefined && Number(ours) < minor;
}
