import type { Clock } from './clock';
import { folderOf, isBelow } from './disk';
import { type HookState, runHook } from './hooks';
import type { Step, Task } from './jobs';
import { kindOf, type Library, STASHES, stashOf } from './library';

/** The parts of the server that the tasks use. */
export interface TaskState extends HookState {
  readonly clock: Clock;
  readonly library: Library;
}

/** The input of `metadataGenerate`. */
export type GenerateInput = Readonly<Record<string, unknown>> & {
  sceneIDs?: readonly string[] | null;
  markerIDs?: readonly string[] | null;
  imageIDs?: readonly string[] | null;
  galleryIDs?: readonly string[] | null;
  paths?: readonly string[] | null;
};

/** The markers of a new server. */
const MARKERS = ['1', '2', '3'].map((id) => ({ id }));

/**
 * Returns a task that looks for new files below these paths; without any, everywhere.
 * @param since passes over files that have not changed since then. @param covers whether to make the covers of new scenes.
 */
export function scan(
  server: TaskState,
  paths: readonly string[],
  { since = -Infinity, covers = false }: { since?: number | undefined; covers?: boolean } = {},
): Task {
  const { quirks, clock, serverLog, library } = server;
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
      const { id } = library.add(file, clock.second());
      runHook(server, `${kind}.Create`, id);
      if (kind === 'scene' && !covers && !quirks.makesCovers) library.pictures.set(`scene ${id}`, null);
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

/** The kinds of content of images. */
const OF_IMAGES = ['clipPreviews', 'imageThumbnails', 'imagePhashes'];

/**
 * Returns a task that generates the chosen kinds of content: for all scenes, or for these, the previews of these markers, these images,
 * those of these galleries, and what is in these folders.
 */
export function generate(
  { quirks, serverLog, library }: TaskState,
  { sceneIDs, markerIDs, imageIDs, galleryIDs, paths, ...input }: GenerateInput,
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
      const others = [markerIDs, imageIDs, galleryIDs, paths].some((list) => list?.length);
      const isForAll = !sceneIDs?.length && (!others || quirks.minor < 11);
      const isCovered = (path: string) =>
        (paths ?? []).some((folder) => stashOf(folder) && isBelow(path, folder));
      const selected = all.filter(({ id }) => isForAll || sceneIDs?.includes(id));
      const below = all.filter((entry) => !selected.includes(entry) && isCovered(entry.path));
      // Because of an unknown or repeated id, Stash skips the others too: recorded on v0.30.1, source v0.17.2.
      const spoilt = quirks.scans === 'walking' && sceneIDs?.length && selected.length < sceneIDs.length;
      const scenes = spoilt ? [] : [...selected, ...below];
      const galleries = library.all('gallery').filter(({ id }) => galleryIDs?.includes(id));
      const isIn = (path: string) => galleries.some((gallery) => folderOf(path) === gallery.path);
      const unknownImage = unknownIn(imageIDs, library.all('image'));
      const images = library
        .all('image')
        .filter(({ id, path }) => imageIDs?.includes(id) || isIn(path) || isCovered(path))
        .filter(() => unknownImage === undefined);
      const nothing = kinds.length === 0 && quirks.scans === 'walking';
      const work = kinds.map((kind) => ({
        kind,
        entries: [...scenes, ...(OF_IMAGES.includes(kind) ? images : [])],
      }));
      const counts = work.map(({ kind, entries }) => `${entries.length} ${kind}`);
      serverLog.write('Info', nothing ? 'Nothing selected to generate' : `Generating ${counts.join(' ')}`);
      const steps = work.flatMap(({ kind, entries }) =>
        entries.map(({ path }) => ({ name: `Generating ${kind} for ${path}` })),
      );
      if (unknownImage !== undefined) serverLog.write('Error', `image with id ${unknownImage} not found`);
      const unknown = unknownIn(markerIDs, MARKERS);
      if (unknown !== undefined) {
        serverLog.write('Error', `scene marker with id ${unknown} not found`);
        return steps;
      }
      const ofMarkers = (markerIDs ?? []).map((id) => ({
        name: `Generating marker preview for marker ID ${id}`,
      }));
      return [...steps, ...ofMarkers];
    },
    end(milliseconds, stopped) {
      if (stopped) serverLog.write('Info', 'Stopping due to user request');
      serverLog.write('Info', `Generate finished (${elapsed(milliseconds)})`);
    },
  };
}

/** Returns the first id that is unknown, or there twice: Stash generates for none of them. */
function unknownIn(
  ids: readonly string[] | null | undefined,
  known: readonly { readonly id: string }[],
): string | undefined {
  return ids?.find((id, at) => !known.some((one) => one.id === id) || ids.indexOf(id) !== at);
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
