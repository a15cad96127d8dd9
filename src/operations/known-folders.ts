import { setImmediate } from 'node:timers/promises';
import { AbortableSingleFlight, untilAborted } from '../async';
import { aside, type Call } from '../call';
import { StashError } from '../errors';
import { arrayOf, hasString, isRecord, parsed } from '../guards';
import { folderOf, insideOf } from '../paths';
import type { Operation, Schema, Server } from '../server';
import { timing } from '../timing';

/** The end of a name that files have, also temporary ones, and hardly any folder. */
const FILE_ENDING = /[^/\\]\.(?=[^.]*[a-z])[a-z0-9!]{2,10}$/i;

/** The most folders that one request asks for. */
const MOST_FOLDERS = 100;
/** The same before v0.29, where the server reads the paths of all scenes for each. */
const MOST_SEARCHES = 20;

/**
 * Replaces each file in a folder that the server does not know by that folder: of such a file, the server only logs that its
 * folder "doesn't exist" (seen on v0.17.2 and v0.30.1, issue 3342 of Stash).
 * @param paths of the server.
 * @returns `paths` themselves if all of them can be scanned, or if the server does not tell.
 */
export async function scannablePaths(
  server: Server,
  paths: readonly string[],
  call: Call,
): Promise<readonly string[]> {
  const folders = new Set(paths.flatMap((path) => folderOfFile(path) ?? []));
  const unknown = await unknownFolders(server, [...folders], call);
  if (unknown.size === 0) return paths;
  const replaced = paths.map((path) => {
    const folder = folderOfFile(path);
    return folder !== undefined && unknown.has(folder) ? folder : path;
  });
  return [...new Set(replaced)];
}

/** Knows for a few seconds which folders a server knows, so that a burst of messages asks for each folder once. */
export class KnownFolders {
  readonly #server: Server;
  readonly #flight = new AbortableSingleFlight((signal) => this.#askAll(signal));
  readonly #asked = new Set<string>();
  readonly #known = new Map<string, { isKnown: boolean; until: number }>();

  constructor(server: Server) {
    this.#server = server;
  }

  /**
   * Replaces files as `scannablePaths` does.
   * @param paths of this machine.
   * @throws the reason of the call's signals.
   */
  async scannable(paths: readonly string[], call: Call): Promise<readonly string[]> {
    const folders = new Map<string, string>();
    for (const path of paths) {
      const folder = folderOfFile(this.#server.toServerPath(path));
      if (folder !== undefined) folders.set(path, folder);
    }
    for (;;) {
      const unsure = [...folders.values()].filter((folder) => !this.#isFresh(folder));
      if (unsure.length === 0) break;
      for (const folder of unsure) this.#asked.add(folder);
      await untilAborted(this.#flight.get(call.signal), call.waiting);
    }
    const replaced = paths.map((path) => {
      const folder = folders.get(path);
      const isKnown = folder === undefined || this.#known.get(folder)?.isKnown;
      return isKnown ? path : folderOf(path);
    });
    return [...new Set(replaced)];
  }

  #isFresh(folder: string): boolean {
    return (this.#known.get(folder)?.until ?? 0) > performance.now();
  }

  /** Asks for all folders, also for those that are added meanwhile. */
  async #askAll(signal: AbortSignal): Promise<void> {
    // The other messages of this turn of the event loop add theirs.
    await setImmediate();
    for (const folder of this.#known.keys()) if (!this.#isFresh(folder)) this.#known.delete(folder);
    while (this.#asked.size > 0) {
      const folders = [...this.#asked].slice(0, MOST_FOLDERS);
      const unknown = await unknownFolders(this.#server, folders, { signal, waiting: signal });
      const until = performance.now() + timing.recentLibrary;
      for (const folder of folders) {
        this.#asked.delete(folder);
        this.#known.set(folder, { isKnown: !unknown.has(folder), until });
      }
    }
  }
}

/** Returns the folder of a path that looks like a file. */
function folderOfFile(path: string): string | undefined {
  return FILE_ENDING.test(path) ? folderOf(path) : undefined;
}

/** Returns those of the server's folders that it does not know; none if it does not tell. */
async function unknownFolders(
  server: Server,
  folders: readonly string[],
  call: Call,
): Promise<ReadonlySet<string>> {
  const unknown = new Set<string>();
  for (let start = 0; start < folders.length; start += MOST_FOLDERS) {
    const some = folders.slice(start, start + MOST_FOLDERS);
    try {
      const known = await server.request({ kind: 'query', call: aside(call), build: question(some) });
      for (const folder of some) if (!known.has(folder)) unknown.add(folder);
    } catch (error) {
      // The scan itself reports what is wrong.
      if (!(error instanceof StashError) || call.signal.aborted) throw error;
      return new Set();
    }
  }
  return unknown;
}

/** Builds the question which of these folders a server knows. */
function question(folders: readonly string[]): (schema: Schema) => Operation<ReadonlySet<string>> {
  return (schema) => {
    // Before v0.17, a scan needs no folder.
    if (!schema.has('Scene', 'files')) throw schema.lacks('findFolders', 'v0.29.0');
    return schema.has('Query', 'findFolders') ? folderQuestion(folders) : sceneQuestion(folders);
  };
}

/** Asks for the folders themselves. */
function folderQuestion(folders: readonly string[]): Operation<ReadonlySet<string>> {
  return oneForEach(folders, {
    field: 'findFolders',
    arguments: 'folder_filter: { path: { value: $value, modifier: EQUALS } }',
    selection: 'folders { path }',
    valueOf: (folder) => folder,
    // EQUALS takes `_` and `%` for wildcards.
    isKnown: (folder, { folders: found }) =>
      parsed(arrayOf(hasString('path')), (all) => insideOf(all.map(({ path }) => path))(folder))(found),
  });
}

/** Asks for a scene in each folder. A folder without one counts as unknown, which costs time only. */
function sceneQuestion(folders: readonly string[]): Operation<ReadonlySet<string>> {
  return oneForEach(folders.slice(0, MOST_SEARCHES), {
    field: 'findScenes',
    arguments: 'scene_filter: { path: { value: $value, modifier: MATCHES_REGEX } }',
    selection: 'count',
    valueOf: (folder) =>
      `^${folder.replace(/[/\\]$/, '').replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')}[/\\\\][^/\\\\]+$`,
    isKnown: (_, { count }) => count !== 0,
  });
}

/** How to ask for one folder. */
interface Question {
  field: string;
  /** The arguments, with `$value`. */
  arguments: string;
  selection: string;
  valueOf: (folder: string) => string;
  /** @throws {StashError} NOT_STASH for an answer of another shape. */
  isKnown: (folder: string, answer: Readonly<Record<string, unknown>>) => boolean;
}

/** Asks one question for each folder. The result are the known folders. */
function oneForEach(folders: readonly string[], question: Question): Operation<ReadonlySet<string>> {
  const variables = folders.map((_, index) => `$folder${index}: String!`).join(', ');
  const fields = folders.map((_, index) => {
    const given = question.arguments.replace('$value', `$folder${index}`);
    return `folder${index}: ${question.field}(${given}, filter: { per_page: 25 }) { ${question.selection} }`;
  });
  return {
    rootField: question.field,
    document: `query (${variables}) { ${fields.join(' ')} }`,
    variables: Object.fromEntries(
      folders.map((folder, index) => [`folder${index}`, question.valueOf(folder)]),
    ),
    isWhole: true,
    read: parsed(isRecord, (answers) => {
      const known = folders.filter((folder, index) =>
        parsed(isRecord, (answer) => question.isKnown(folder, answer))(answers[`folder${index}`]),
      );
      return new Set(known);
    }),
  };
}
