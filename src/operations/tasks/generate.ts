import type { Call, JobOptions } from '../../call';
import { documentedKinds, type GenerateKind, generateKinds } from '../../contract/generate';
import { fieldsOf, OLDEST, type Requirements, type Schema, type Server } from '../../server';
import { type Chosen, chosenItems, namesOf } from '../items';
import { savedOptions } from './options';
import {
  checkOf,
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
  imagePhashes: 'v0.31.0',
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

/** The parts of the library, besides scenes and markers, with the first release that generates for them. */
const partsSince = { imageIDs: 'v0.31.0', galleryIDs: 'v0.31.0', paths: 'v0.31.0' } as const;

/** The first release that has each of the kinds and options that not every release has. */
export const generateSince = { ...kindsSince, ...optionsSince };

/** An option of the generation, as the server's schema names it. */
type GenerateOption = keyof typeof optionsSince;
export const generateOptions = Object.keys(optionsSince) as GenerateOption[];

/**
 * The sign of a server that survives the id of a marker: up to v0.23 it kills the whole server, by a nil pointer in a
 * goroutine (Stash pull request 4335; seen on v0.17.2).
 */
const SURVIVES_MARKERS = ['SystemStatus', 'os'] as const;
const MARKERS_SINCE = 'v0.24.0';

/** What the dialog offers that not every release has. */
export const generateRequirements: Requirements = {
  ...fieldsOf('GenerateMetadataInput', { ...generateSince, ...partsSince }),
  markerIDs: { anyOf: [SURVIVES_MARKERS], since: MARKERS_SINCE },
};

export interface GenerateInput extends Partial<JobOptions> {
  /** At least one. */
  kinds: readonly GenerateKind[];
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
  /** Ids of images, like those of markers. */
  imageIDs?: readonly string[] | null;
  /** Ids of galleries, like those of markers: for the images in them. */
  galleryIDs?: readonly string[] | null;
  /** How to make previews; null, the default, as in the server's settings. */
  previewOptions?: PreviewOptions | null;
}

/** The result of a generate task. Its items are those of all kinds. */
export interface Generated extends TaskForItems {
  /** How many of each kind are chosen; absent without a choice. */
  chosen?: Partial<Record<'scenes' | 'images' | 'galleries' | 'markers', number>>;
}

/**
 * Generates the chosen kinds. Sends all five kinds of the interface document (part 4), false for those not chosen.
 *
 * Sends only items that are in the library, each once. With an unknown or repeated id the server generates nothing at all
 * and still reports the job as FINISHED (seen on v0.30.1, read in the source of v0.17.2). Markers are sent unchecked, each once,
 * because servers can be asked for some of them only since v0.28. The log names an unknown one.
 * @throws {StashError} as `taskPaths`, `runTask` and `chosenItems`.
 */
export async function generate(
  server: Server,
  {
    kinds,
    options,
    paths,
    sceneIDs,
    markerIDs = null,
    imageIDs = null,
    galleryIDs = null,
    previewOptions = null,
    ...jobOptions
  }: GenerateInput,
  call: Call,
): Promise<Generated> {
  const wanted = {
    ...Object.fromEntries([...kinds, ...options].map((name) => [name, true])),
    ...(previewOptions && { previewOptions }),
  };
  const parts = { ...(imageIDs && { imageIDs }), ...(galleryIDs && { galleryIDs }), ...(paths && { paths }) };
  const check = checkOf(generateTask({ ...wanted, ...parts }), call);
  const scenes = sceneIDs && (await chosenItems(server, 'scene', sceneIDs, call));
  const images = imageIDs && (await chosenItems(server, 'image', imageIDs, call, check));
  const galleries = galleryIDs && (await chosenItems(server, 'gallery', galleryIDs, call, check));
  const markers = markerIDs && { known: [...new Set(markerIDs)], unknown: 0 };
  const about = aboutChosen({ scenes, images, galleries, markers });
  if (about.chosen && !paths && Object.values(about.chosen).every((count) => count === 0)) {
    const first = scenes ? 'scene' : images ? 'image' : 'gallery';
    return { operation: namesOf(first).one, job: { id: null, status: 'SKIPPED' }, ...about };
  }
  const checked = await taskPaths(server, generateTask({ ...wanted, ...parts }), paths, call);
  const task = generateTask({
    ...wanted,
    // Two empty lists would mean all scenes.
    ...(scenes && scenes.known.length > 0 && { sceneIDs: scenes.known }),
    ...(markers && markers.known.length > 0 && { markerIDs: markers.known }),
    ...(images && images.known.length > 0 && { imageIDs: images.known }),
    ...(galleries && galleries.known.length > 0 && { galleryIDs: galleries.known }),
    ...(checked && { paths: checked.paths.map(({ there }) => there) }),
  });
  return { ...(await runTask(server, task, jobOptions, call)), ...about };
}

/** Counts the chosen items; those in the library by kind, those of all kinds together. */
function aboutChosen(
  parts: Record<keyof NonNullable<Generated['chosen']>, Chosen | null>,
): Pick<Generated, 'chosen' | 'items'> {
  const chosen = Object.entries(parts).flatMap(([kind, items]) => (items ? [{ kind, items }] : []));
  if (chosen.length === 0) return {};
  return {
    chosen: Object.fromEntries(chosen.map(({ kind, items }) => [kind, items.known.length])),
    items: {
      known: chosen.flatMap(({ items }) => items.known),
      unknown: chosen.reduce((sum, { items }) => sum + items.unknown, 0),
    },
  };
}

function generateTask(required: InputFields['required']): Task {
  const fields: InputFields = {
    required,
    optional: Object.fromEntries(documentedKinds.map((kind) => [kind, false])),
    since: {
      ...partsSince,
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
