import { setImmediate } from 'node:timers/promises';
import { AbortableSingleFlight, untilAborted } from '../../async';
import { aside, type Call, type Signal } from '../../call';
import { StashError } from '../../errors';
import { arrayOf, hasString, isRecord, parsed } from '../../guards';
import { escaped, folderOf, insideOf } from '../../paths';
import type { Operation, Schema, Server } from '../../server';
import { timing } from '../../timing';
import type { LibraryPaths } from '../library';

/** The most folders that one request asks for. */
const MOST_FOLDERS = 100;
/** The same before v0.29, where the server reads the paths of all scenes for each. */
const MOST_SEARCHES = 20;
/** The most folders to search there. Further ones count as unknown. */
const MOST_SEARCHED = 200;

/**
 * Replaces each file in a folder that the server does not know by that folder: of such a file, the server only logs that its
 * folder "doesn't exist" (seen on v0.17.2 and v0.30.1, issue 3342 of Stash).
 * @returns the paths themselves if all of them can be scanned, or if the server does not tell.
 */
export async function scannablePaths(
  server: Server,
  { library, paths }: LibraryPaths,
  call: Call,
): Promise<readonly string[]> {
  const folders = new Set(paths.flatMap((path) => library.folderOfFile(path) ?? []));
  const known = await askFor(server, [...folders], call);
  if (![...known.values()].includes(false)) return paths;
  const replaced = paths.map((path) => {
    const folder = library.folderOfFile(path);
    return folder !== undefined && known.get(folder) === false ? folder : path;
  });
  return [...new Set(replaced)];
}

/** Whether the server knows each folder; without those that it does not tell. */
type Answers = ReadonlyMap<string, boolean>;

/** Folders that are asked for together. */
interface Batch {
  readonly folders: Set<string>;
  readonly flight: AbortableSingleFlight<Answers>;
}

/** Knows for a few seconds which folders a server knows, so that a burst of messages asks for each folder once. */
export class KnownFolders {
  readonly #server: Server;
  readonly #known = new Map<string, { isKnown: boolean; until: number }>();
  /** The batch that still takes folders. */
  #next: Batch | undefined;
  /** Settles when the last batch has been answered. */
  #running: Promise<unknown> = Promise.resolve();

  constructor(server: Server) {
    this.#server = server;
  }

  /**
   * Replaces files as `scannablePaths` does.
   * @param given the same paths as this machine sees them.
   * @returns paths of this machine.
   * @throws the reason of the call's signals.
   */
  async scannable(
    given: readonly string[],
    { library, paths }: LibraryPaths,
    call: Call,
  ): Promise<readonly string[]> {
    const folders = paths.map((path) => library.folderOfFile(path));
    if (folders.every((folder) => folder === undefined || this.#fresh(folder))) return given;
    const known = new Map(folders.map((folder) => [folder, folder === undefined || this.#fresh(folder)]));
    const unsure = [...known.keys()].filter((folder) => known.get(folder) === undefined);
    if (unsure.length > 0) {
      const batch = (this.#next ??= this.#newBatch());
      for (const folder of unsure) if (folder !== undefined) batch.folders.add(folder);
      const answers = await untilAborted(batch.flight.get(call.signal), call.waiting);
      for (const folder of unsure) if (folder !== undefined) known.set(folder, answers.get(folder));
    }
    const replaced = given.map((path, index) =>
      known.get(folders[index]) === false ? folderOf(path) : path,
    );
    return [...new Set(replaced)];
  }

  /** Returns whether the server knows a folder, as of a few seconds ago; undefined if it was not asked then. */
  #fresh(folder: string): boolean | undefined {
    const { isKnown, until = 0 } = this.#known.get(folder) ?? {};
    return until > performance.now() ? isKnown : undefined;
  }

  /** Creates a batch that takes folders until the batch before it has been answered. */
  #newBatch(): Batch {
    const folders = new Set<string>();
    const flight = new AbortableSingleFlight(async (signal) => {
      // The other messages of this turn of the event loop add theirs.
      await setImmediate();
      await untilAborted(this.#running, signal);
      if (this.#next === batch) this.#next = undefined;
      const asking = this.#ask(folders, signal);
      this.#running = asking.catch(() => undefined);
      return await asking;
    });
    const batch = { folders, flight };
    return batch;
  }

  async #ask(folders: ReadonlySet<string>, signal: Signal): Promise<Answers> {
    const now = performance.now();
    const answers = new Map<string, boolean>();
    for (const [folder, { isKnown, until }] of this.#known) {
      if (until <= now) this.#known.delete(folder);
      // The batch before may have had it.
      else if (folders.has(folder)) answers.set(folder, isKnown);
    }
    const unsure = [...folders].filter((folder) => !answers.has(folder));
    const told = await askFor(this.#server, unsure, { signal, waiting: signal });
    const until = performance.now() + timing.recentLibrary;
    for (const [folder, isKnown] of told) {
      answers.set(folder, isKnown);
      this.#known.set(folder, { isKnown, until });
    }
    return answers;
  }
}

/** Asks which of the server's folders it knows. */
async function askFor(server: Server, folders: readonly string[], call: Call): Promise<Answers> {
  const answers = new Map<string, boolean>();
  for (let start = 0; start < folders.length;) {
    try {
      const rest = folders.slice(start);
      const { asked, known, most } = await server.request({
        kind: 'query',
        call: aside(call),
        build: question(rest),
      });
      for (const folder of asked) answers.set(folder, known.has(folder));
      start += asked.length;
      if (start < most) continue;
      for (const folder of folders.slice(start)) answers.set(folder, false);
      break;
    } catch (error) {
      // The scan itself reports what is wrong.
      if (!(error instanceof StashError) || call.signal.aborted) throw error;
      break;
    }
  }
  return answers;
}

/** What a server tells about folders. */
interface Told {
  readonly asked: readonly string[];
  readonly known: ReadonlySet<string>;
  /** The most folders to ask for in all. */
  readonly most: number;
}

/** Builds the question which of the first of these folders a server knows. */
function question(folders: readonly string[]): (schema: Schema) => Operation<Told> {
  return (schema) => {
    // Before v0.17, a scan needs no folder.
    if (!schema.has('Scene', 'files')) throw schema.lacks('findFolders', 'v0.29.0');
    return schema.has('Query', 'findFolders')
      ? folderQuestion(folders.slice(0, MOST_FOLDERS))
      : sceneQuestion(folders.slice(0, MOST_SEARCHES));
  };
}

/** Asks for the folders themselves. */
function folderQuestion(folders: readonly string[]): Operation<Told> {
  return oneForEach(folders, {
    field: 'findFolders',
    most: Infinity,
    arguments: 'folder_filter: { path: { value: $value, modifier: EQUALS } }',
    selection: 'folders { path }',
    valueOf: (folder) => folder,
    // EQUALS takes `_` and `%` for wildcards.
    isKnown: (folder, { folders: found }) =>
      parsed(arrayOf(hasString('path')), (all) => insideOf(all.map(({ path }) => path))(folder))(found),
  });
}

/** Asks for a scene in each folder. A folder without one counts as unknown: it is scanned as a whole. */
function sceneQuestion(folders: readonly string[]): Operation<Told> {
  return oneForEach(folders, {
    field: 'findScenes',
    most: MOST_SEARCHED,
    arguments: 'scene_filter: { path: { value: $value, modifier: MATCHES_REGEX } }',
    selection: 'count',
    valueOf: (folder) => `^${escaped(folder.replace(/[/\\]$/, ''))}[/\\\\][^/\\\\]+$`,
    isKnown: (_, { count }) => parsed(isCount, (scenes) => scenes > 0)(count),
  });
}

/** How to ask for one folder. */
interface Question extends Pick<Told, 'most'> {
  field: string;
  /** The arguments, with `$value`. */
  arguments: string;
  selection: string;
  valueOf: (folder: string) => string;
  /** @throws {StashError} NOT_STASH for an answer of another shape. */
  isKnown: (folder: string, answer: Readonly<Record<string, unknown>>) => boolean;
}

/** Asks one question for each folder. */
function oneForEach(folders: readonly string[], question: Question): Operation<Told> {
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
      return { asked: folders, known: new Set(known), most: question.most };
    }),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number';
}
