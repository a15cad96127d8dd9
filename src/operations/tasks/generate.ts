import type { Call, JobOptions } from '../../call';
import { documentedKinds, type GenerateKind, generateKinds } from '../../contract/generate';
import { fieldsOf, OLDEST, type Requirements, type Schema, type Server } from '../../server';
import { chosenScenes } from '../library';
import { savedOptions } from './options';
import {
  inputArgument,
  type InputFields,
  runTask,
  type Task,
  type TaskForItems,
  taskPaths,
} from './run-task';

/** The first release that has each of the kinds that the interface document does not name. */
const kindsSince: Readonly<Partial<Record<GenerateKind, string>>> = {
  covers: 'v0.20.0',
  phashes: OLDEST,
  interactiveHeatmapsSpeeds: 'v0.12.0',
  imageThumbnails: 'v0.25.0',
  clipPreviews: 'v0.21.0',
};

/** Options of the generation, as the server's schema names them, with the first release that has each. */
const optionsSince = {
  overwrite: OLDEST,
  forceTranscodes: 'v0.12.0',
  markerImagePreviews: 'v0.10.0',
  markerScreenshots: 'v0.10.0',
} as const;

/** The presets of a preview's encoder, as the server's schema names them. */
export const previewPresets = [
  'ultrafast',
  'veryfast',
  'fast',
  'medium',
  'slow',
  'slower',
  'veryslow',
] as const;

/** How to make previews, as the server's schema names it. What is missing is as in the server's settings. */
export interface PreviewOptions {
  /** At least one: v0.11.0 dies of 0. */
  previewSegments?: number;
  /** In seconds. Servers use at least 0.75. */
  previewSegmentDuration?: number;
  /** Seconds, or a part of the video such as `2%`. Servers take any other text for 0. */
  previewExcludeStart?: string;
  previewExcludeEnd?: string;
  previewPreset?: (typeof previewPresets)[number];
}

/** The first release that generates for folders and files. */
const PATHS_SINCE = 'v0.31.0';

/** The first release that has each of the kinds and options that not every release has. */
export const generateSince = { ...kindsSince, ...optionsSince };

/** An option of the generation, as the server's schema names it. */
type GenerateOption = keyof typeof optionsSince;
/** All options. */
export const generateOptions = Object.keys(optionsSince) as GenerateOption[];

/**
 * The sign of a server that survives the id of a marker: up to v0.23 it kills the whole server, by a nil pointer in a
 * goroutine (Stash pull request 4335; seen on v0.17.2).
 */
const SURVIVES_MARKERS = ['SystemStatus', 'os'] as const;
const MARKERS_SINCE = 'v0.24.0';

/** What the dialog offers that not every release has. */
export const generateRequirements: Requirements = {
  ...fieldsOf('GenerateMetadataInput', generateSince),
  markerIDs: { anyOf: [SURVIVES_MARKERS], since: MARKERS_SINCE },
  paths: { anyOf: [['GenerateMetadataInput', 'paths']], since: PATHS_SINCE },
};

/** What to generate, and for which content. */
export interface GenerateInput extends Partial<JobOptions> {
  /** At least one. */
  kinds: readonly GenerateKind[];
  /** The options to turn on. */
  options: readonly GenerateOption[];
  /** Folders and files, as this machine sees them; null for the whole library. */
  paths: readonly string[] | null;
  /** Ids of scenes, in any order and perhaps repeated; null for all scenes. */
  sceneIDs: readonly string[] | null;
  /**
   * Ids of markers, in any order and perhaps repeated; null, the default, for none. They add to `sceneIDs`. With null there,
   * nothing else is generated.
   */
  markerIDs?: readonly string[] | null;
  /** How to make previews; null, the default, as in the server's settings. */
  previewOptions?: PreviewOptions | null;
}

/** The result of a generate task. */
export interface Generated extends TaskForItems {
  /** How many markers were chosen; absent if none. */
  markers?: number;
}

/**
 * Generates the chosen kinds. Sends all five kinds of the interface document (part 4), false for those not chosen.
 *
 * Sends only scenes that are in the library, each once. With an unknown or repeated id the server generates nothing at all
 * and still reports the job as FINISHED (seen on v0.30.1, read in the source of v0.17.2). Markers are sent unchecked, each once,
 * because servers can be asked for some of them only since v0.28. The log names an unknown one.
 * @throws {StashError} as `taskPaths`, `runTask` and `chosenScenes`.
 */
export async function generate(
  server: Server,
  { kinds, options, paths, sceneIDs, markerIDs = null, previewOptions = null, ...jobOptions }: GenerateInput,
  call: Call,
): Promise<Generated> {
  const items = sceneIDs && (await chosenScenes(server, sceneIDs, call));
  const markers = markerIDs && [...new Set(markerIDs)];
  const about = { ...(items && { items }), ...(markers && { markers: markers.length }) };
  const count = (items?.known ?? []).length + (markers ?? []).length;
  if ((items ?? markers) && count === 0) {
    return { operation: 'findScene', job: { id: null, status: 'SKIPPED' }, ...about };
  }
  const chosen = {
    ...Object.fromEntries([...kinds, ...options].map((name) => [name, true])),
    // Two empty lists would mean all scenes.
    ...(items && items.known.length > 0 && { sceneIDs: items.known }),
    ...(markers && markers.length > 0 && { markerIDs: markers }),
    ...(previewOptions && { previewOptions }),
  };
  const checked = await taskPaths(server, generateTask({ ...chosen, ...(paths && { paths }) }), paths, call);
  const task = generateTask({
    ...chosen,
    ...(checked && { paths: checked.paths.map(({ there }) => there) }),
  });
  return { ...(await runTask(server, task, jobOptions, call)), ...about };
}

function generateTask(required: InputFields['required']): Task {
  const fields: InputFields = {
    required,
    optional: Object.fromEntries(documentedKinds.map((kind) => [kind, false])),
    since: {
      paths: PATHS_SINCE,
      ...generateSince,
      sceneIDs: OLDEST,
      markerIDs: MARKERS_SINCE,
      previewOptions: OLDEST,
    },
    usableWith: { markerIDs: SURVIVES_MARKERS },
  };
  return {
    operation: 'metadataGenerate',
    since: OLDEST,
    description: 'Generating...',
    // What is there already is not generated again.
    isResumable: required['overwrite'] !== true,
    arguments: (schema) => [inputArgument(schema, 'GenerateMetadataInput', fields)],
  };
}

/**
 * Returns the names of what is selected to generate on the server's Tasks page; empty if that page keeps nothing.
 * @throws {StashError} as `Server.request`.
 */
export async function selectedToGenerate(server: Server, call: Call): Promise<string[]> {
  const task = { key: 'generate', input: 'GenerateMetadataInput' };
  const check = (schema: Schema) => {
    if (!schema.has('Query', 'configuration')) throw schema.lacks('configuration');
  };
  const options = await savedOptions(server, task, check, call);
  return [...generateKinds, ...generateOptions].filter(
    (name) => name !== 'overwrite' && options[name] === true,
  );
}
