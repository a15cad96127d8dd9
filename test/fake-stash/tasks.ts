import type { Clock } from './clock';
import type { Step, Task } from './jobs';
import type { ServerLog } from './server-log';
import { kindOf, type Library, STASHES, stashOf } from './library';
import type { Quirks } from './quirks';

/** The parts of the server that the tasks use. */
export interface TaskState {
  readonly quirks: Quirks;
  readonly clock: Clock;
  readonly serverLog: ServerLog;
  readonly library: Library;
}

/** The input of `metadataGenerate`. */
export type GenerateInput = Readonly<Record<string, unknown>> & {
  sceneIDs?: readonly string[] | null;
  markerIDs?: readonly string[] | null;
};

/** The markers of a new server. */
const MARKERS: readonly string[] = ['1', '2', '3'];

/**
 * Returns a task that looks for new files below these paths; without any, everywhere.
 * @param since passes over files that have not changed since then.
 */
export function scan(
  { quirks, clock, serverLog, library }: TaskState,
  paths: readonly string[],
  since = -Infinity,
): Task {
  const { scans } = quirks;
  const info = (message: string) => {
    serverLog.write('Info', message);
  };

  function find(path: string): void {
    const file = library.unknown(path);
    if (library.broken.includes(path)) {
      serverLog.write(
        'Error',
        scans === 'walking' ? `error processing "${path}": ${broken(path)}` : unread(path),
      );
    } else if (file && scans === 'walking' && !library.isFolderKnown(path, paths)) {
      serverLog.write('Error', `error processing "${path}": parent folder for "${path}" doesn't exist`);
    } else if (file) {
      const kind = kindOf(path);
      if (scans === 'walking') info(`Calculating fingerprints for ${path} ...`);
      info(`${path} doesn't exist. Creating new ${scans === 'walking' ? kind : 'item'}...`);
      library.add(file, clock.second());
    }
  }

  return {
    description: 'Scanning...',
    ...(scans === 'walking' && { counting: 'Walking directory tree' }),
    begin() {
      library.scans.emit(paths);
      const files = library.filesBelow(paths).filter((path) => library.modifiedAt(path) >= since);
      const covered = paths.filter((path) => stashOf(path));
      for (const path of paths) {
        if (!stashOf(path)) serverLog.write('Warning', `${path} is not in the configured stash paths`);
      }
      for (const path of paths.length === 0 ? STASHES.map((stash) => stash.path) : covered) {
        const level = scans === 'walking' ? 'Error' : 'Warning';
        if (!library.exists(path))
          serverLog.write(level, `error scanning ${path}: lstat ${path}: no such file or directory`);
      }
      const news = files.filter((path) => library.unknown(path)).length;
      if (scans === 'walking') {
        info(`scanning ${paths.length === 0 ? STASHES.length : covered.length} paths`);
        info(`Finished adding files to queue. ${files.length} files queued`);
      } else {
        info('Scan started with 1 parallel tasks');
        info(`Finished counting files. Total files to scan: ${files.length}, ${news} new files found`);
      }
      return files.map((path): Step => ({
        name: `Scanning ${path}`,
        finish() {
          if (scans === 'walking') serverLog.write('Trace', sql(path));
          find(path);
        },
      }));
    },
    end(milliseconds, stopped) {
      const finished = `Scan finished (${elapsed(milliseconds)})`;
      if (!stopped || scans === 'counting') info(finished);
      if (stopped) info('Stopping due to user request');
      else if (scans !== 'walking') info('Finished gallery association');
    },
  };
}

/** Returns a task that generates the chosen kinds of content, for all scenes or for these, and the previews of these markers. */
export function generate(
  { quirks, serverLog, library }: TaskState,
  { sceneIDs, markerIDs, ...input }: GenerateInput,
): Task {
  const kinds = Object.entries(input)
    .filter(([name, chosen]) => chosen === true && name !== 'overwrite' && name !== 'forceTranscodes')
    .map(([kind]) => kind);
  return {
    description: 'Generating...',
    begin() {
      serverLog.write('Info', 'Generate started with 1 parallel tasks');
      for (const id of sceneIDs ?? []) {
        if (!/^\d+$/.test(id)) serverLog.write('Error', `strconv.Atoi: parsing "${id}": invalid syntax`);
      }
      const all = library.all('scene');
      // Up to v0.10, Stash generates for all scenes besides the markers: source v0.8.0 to v0.11.0.
      const isAbout = (id: string) => sceneIDs?.includes(id) ?? false;
      const isForAll = !sceneIDs?.length && (!markerIDs?.length || quirks.minor < 11);
      const selected = all.filter(({ id }) => isForAll || isAbout(id));
      // Because of an unknown or repeated id, Stash skips the others too: recorded on v0.30.1, source v0.17.2.
      const spoilt = quirks.scans === 'walking' && sceneIDs?.length && selected.length < sceneIDs.length;
      const scenes = spoilt ? [] : selected;
      const nothing = kinds.length === 0 && quirks.scans === 'walking';
      const counts = kinds.map((kind) => `${scenes.length} ${kind}`);
      serverLog.write('Info', nothing ? 'Nothing selected to generate' : `Generating ${counts.join(' ')}`);
      const ofScenes = kinds.flatMap((kind) =>
        scenes.map(({ path }) => ({ name: `Generating ${kind} for ${path}` })),
      );
      const unknown = (markerIDs ?? []).find(
        (id, at) => !MARKERS.includes(id) || markerIDs?.indexOf(id) !== at,
      );
      if (unknown !== undefined) {
        serverLog.write('Error', `scene marker with id ${unknown} not found`);
        return ofScenes;
      }
      const ofMarkers = (markerIDs ?? []).map((id) => ({
        name: `Generating marker preview for marker ID ${id}`,
      }));
      return [...ofScenes, ...ofMarkers];
    },
    end(milliseconds, stopped) {
      if (stopped) serverLog.write('Info', 'Stopping due to user request');
      serverLog.write('Info', `Generate finished (${elapsed(milliseconds)})`);
    },
  };
}

function broken(path: string): string {
  return `running ffprobe on "${path}": ${unread(path)}`;
}

function unread(path: string): string {
  const error = { error: { code: -1094995529, string: 'Invalid data found when processing input' } };
  const json = JSON.stringify(error, undefined, 4);
  return `FFProbe encountered an error with <${path}>.\nError JSON:\n${json}\n\nError: exit status 1`;
}

function sql(path: string): string {
  return `SQL [94.692µs]: SELECT \`files\`.\`id\` AS \`file_id\` FROM \`files\` WHERE (\`folders\`.\`path\` = ?), args: [${path}]`;
}

/** Returns a duration as the log has it. */
export function elapsed(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds.toFixed(6)}ms` : `${(milliseconds / 1000).toFixed(9)}s`;
}

/** Returns a task with these steps that does nothing. */
export function otherTask(description: string, ...steps: string[]): Task {
  return { description, begin: () => steps.map((name) => ({ name })), end: () => undefined };
}
