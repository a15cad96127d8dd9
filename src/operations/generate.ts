import type { Call } from '../call';
import type { Server } from '../server';
import { type JobOptions, runTask, type TaskResult } from './job';
import { knownScenes } from './known-scenes';

/** The kinds of content that the interface document names (part 4); every release has them. */
const documented = ['sprites', 'previews', 'imagePreviews', 'markers', 'transcodes'] as const;

/** Further kinds, as the server's schema names them, and the release that has each first. */
const kindsSince = {
  covers: 'v0.20.0',
  phashes: 'v0.7.0',
  interactiveHeatmapsSpeeds: 'v0.12.0',
  imageThumbnails: 'v0.25.0',
  clipPreviews: 'v0.21.0',
} as const;

/** What changes how kinds are generated, likewise. */
const optionsSince = {
  overwrite: 'v0.3.0',
  forceTranscodes: 'v0.12.0',
  markerImagePreviews: 'v0.10.0',
  markerScreenshots: 'v0.10.0',
} as const;

/** Of each kind and option that not every release has, the release that has it first. */
export const generateSince = { ...kindsSince, ...optionsSince };

const TASK = {
  operation: 'metadataGenerate',
  input: 'GenerateMetadataInput',
  // No release up to v0.30 has paths here.
  since: { paths: null, ...generateSince, sceneIDs: 'v0.3.0' },
  description: 'Generating...',
  slot: 'Generate',
};

export type GenerateKind = (typeof documented)[number] | keyof typeof kindsSince;
export type GenerateOption = keyof typeof optionsSince;
export const generateKinds = [...documented, ...(Object.keys(kindsSince) as (keyof typeof kindsSince)[])];
export const generateOptions = Object.keys(optionsSince) as GenerateOption[];

export interface GenerateInput extends JobOptions {
  /** At least one. */
  kinds: readonly GenerateKind[];
  options: readonly GenerateOption[];
  /** Folders and files; null for the whole library. */
  paths: readonly string[] | null;
  /** Null for all scenes. */
  sceneIDs: readonly string[] | null;
}

/** There was nothing to do, so nothing was started. */
interface SkippedJob {
  id: null;
  status: 'SKIPPED';
}

export interface Generated extends Omit<TaskResult, 'job'> {
  job: TaskResult['job'] | SkippedJob;
  /** Of the chosen scenes, if only some were: how many are in the library, and how many are not. */
  scenes?: { known: number; unknown: number };
}

/**
 * Generates the chosen kinds. The five of the interface document are all sent, one not chosen as false.
 *
 * Of scenes only those are sent that the server knows, and each once: it generates nothing for any of them if one is
 * unknown or comes twice, and tells the job as FINISHED (seen on v0.30.1, read in the source of v0.17.2).
 * @throws {StashError} as `runTask`.
 */
export async function generate(
  server: Server,
  { kinds, options, paths, sceneIDs, ...jobOptions }: GenerateInput,
  call: Call,
): Promise<Generated> {
  const chosen = sceneIDs && [...new Set(sceneIDs)];
  const known = chosen && (await knownScenes(server, chosen, call));
  const about = known && { scenes: { known: known.length, unknown: chosen.length - known.length } };
  if (known?.length === 0) return { operation: 'findScene', job: { id: null, status: 'SKIPPED' }, ...about };
  const optional = Object.fromEntries(documented.map((kind) => [kind, false]));
  const required = {
    ...Object.fromEntries([...kinds, ...options].map((name) => [name, true])),
    ...(known && { sceneIDs: known }),
  };
  return { ...(await runTask(server, TASK, { paths, required, optional }, jobOptions, call)), ...about };
}
