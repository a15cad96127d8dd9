import type { Call } from '../call';
import type { SkippedJob } from '../records';
import type { Server } from '../server';
import { type JobOptions, runTask, taskPaths, type TaskResult } from './job';
import { knownScenes } from './known-scenes';

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

const TASK = {
  operation: 'metadataGenerate',
  input: 'GenerateMetadataInput',
  // No release up to v0.30 has paths here.
  since: { paths: null, ...generateSince, sceneIDs: 'v0.3.0' },
  description: 'Generating...',
  slot: 'Generate',
};

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

/** The result of a generate task. */
export interface Generated extends Omit<TaskResult, 'job'> {
  /** The job as started or ended; skipped if none of the chosen scenes is in the library. */
  job: TaskResult['job'] | SkippedJob;
  /** How many of the chosen scenes are in the library, and how many are not; absent if all scenes were chosen. */
  scenes?: { known: number; unknown: number };
}

/**
 * Generates the chosen kinds. Sends all five kinds of the interface document (part 4), false for those not chosen.
 *
 * Sends only scenes that are in the library, each once. With an unknown or repeated id the server generates nothing at all
 * and still reports the job as FINISHED (seen on v0.30.1, read in the source of v0.17.2).
 * @throws {StashError} as `taskPaths`, `runTask` and `knownScenes`.
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
  const input = { paths, required, optional };
  const inLibrary = await taskPaths(server, TASK, input, call);
  const checked = { ...input, paths: inLibrary?.paths ?? null };
  return { ...(await runTask(server, TASK, checked, jobOptions, call)), ...about };
}
