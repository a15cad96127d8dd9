import type { Call } from '../call';
import type { Server } from '../server';
import {
  inputArgument,
  type InputFields,
  type JobOptions,
  runTask,
  type Task,
  type TaskForItems,
  taskPaths,
} from './job';
import { chosenScenes } from './chosen-scenes';

/** The kinds of content that the interface document names (part 4); every release has them. */
const documented = ['sprites', 'previews', 'imagePreviews', 'markers', 'transcodes'] as const;

/** Further kinds, as the server's schema names them, with the first release that has each. */
const kindsSince = {
  covers: 'v0.20.0',
  phashes: 'v0.7.0',
  interactiveHeatmapsSpeeds: 'v0.12.0',
  imageThumbnails: 'v0.25.0',
  clipPreviews: 'v0.21.0',
} as const;

/** Options of the generation, as the server's schema names them, with the first release that has each. */
const optionsSince = {
  overwrite: 'v0.3.0',
  forceTranscodes: 'v0.12.0',
  markerImagePreviews: 'v0.10.0',
  markerScreenshots: 'v0.10.0',
} as const;

/** The first release that has each of the kinds and options that not every release has. */
export const generateSince = { ...kindsSince, ...optionsSince };

/** A kind of generated content, as the server's schema names it. */
export type GenerateKind = (typeof documented)[number] | keyof typeof kindsSince;
/** An option of the generation, as the server's schema names it. */
export type GenerateOption = keyof typeof optionsSince;
/** All kinds, those of the interface document first. */
export const generateKinds = [...documented, ...(Object.keys(kindsSince) as (keyof typeof kindsSince)[])];
/** All options. */
export const generateOptions = Object.keys(optionsSince) as GenerateOption[];

/** What to generate, and for which content. */
export interface GenerateInput extends JobOptions {
  /** At least one. */
  kinds: readonly GenerateKind[];
  /** The options to turn on. */
  options: readonly GenerateOption[];
  /** Folders and files, as this machine sees them; null for the whole library. */
  paths: readonly string[] | null;
  /** Ids of scenes, in any order and perhaps repeated; null for all scenes. */
  sceneIDs: readonly string[] | null;
}

/**
 * Generates the chosen kinds. Sends all five kinds of the interface document (part 4), false for those not chosen.
 *
 * Sends only scenes that are in the library, each once. With an unknown or repeated id the server generates nothing at all
 * and still reports the job as FINISHED (seen on v0.30.1, read in the source of v0.17.2).
 * @throws {StashError} as `taskPaths`, `runTask` and `chosenScenes`.
 */
export async function generate(
  server: Server,
  { kinds, options, paths, sceneIDs, ...jobOptions }: GenerateInput,
  call: Call,
): Promise<TaskForItems> {
  const items = sceneIDs && (await chosenScenes(server, sceneIDs, call));
  const about = items && { items };
  if (items?.known.length === 0)
    return { operation: 'findScene', job: { id: null, status: 'SKIPPED' }, ...about };
  const chosen = {
    ...Object.fromEntries([...kinds, ...options].map((name) => [name, true])),
    ...(items && { sceneIDs: items.known }),
  };
  const checked = await taskPaths(server, taskOf({ ...chosen, ...(paths && { paths }) }), paths, call);
  const task = taskOf({ ...chosen, ...(checked && { paths: checked.paths }) });
  return { ...(await runTask(server, task, jobOptions, call)), ...about };
}

function taskOf(required: InputFields['required']): Task {
  const optional = Object.fromEntries(documented.map((kind) => [kind, false]));
  // No release up to v0.30 has paths here.
  const since = { paths: null, ...generateSince, sceneIDs: 'v0.3.0' };
  return {
    operation: 'metadataGenerate',
    since: 'v0.1.0',
    description: 'Generating...',
    slot: 'Generate',
    arguments: (schema) => [inputArgument(schema, 'GenerateMetadataInput', { required, optional, since })],
  };
}
