import type { Call } from '../server/call';
import type { Server } from '../server/server';
import { type Job, startJob } from './job';

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

const TASK = {
  operation: 'metadataGenerate',
  input: 'GenerateMetadataInput',
  // No release up to v0.30 has paths here.
  since: { paths: null, ...kindsSince, ...optionsSince, sceneIDs: 'v0.3.0' },
};

export type GenerateKind = (typeof documented)[number] | keyof typeof kindsSince;
export type GenerateOption = keyof typeof optionsSince;
export const generateKinds = [...documented, ...(Object.keys(kindsSince) as (keyof typeof kindsSince)[])];
export const generateOptions = Object.keys(optionsSince) as GenerateOption[];

export interface GenerateInput {
  /** At least one. */
  kinds: readonly GenerateKind[];
  options: readonly GenerateOption[];
  /** Folders and files; null for the whole library. */
  paths: readonly string[] | null;
  /** Null for all scenes. */
  sceneIDs: readonly string[] | null;
}

/**
 * Starts to generate the chosen kinds. The five of the interface document are all sent, one not chosen as false.
 * @throws {StashError} UNSUPPORTED for a kind or an option that this server lacks, PATH_NOT_IN_LIBRARY.
 */
export async function generate(
  server: Server,
  { kinds, options, paths, sceneIDs }: GenerateInput,
  call: Call,
): Promise<{ operation: string; job: Job }> {
  const unwished = Object.fromEntries(documented.map((kind) => [kind, false]));
  const wished = {
    ...Object.fromEntries([...kinds, ...options].map((name) => [name, true])),
    ...(sceneIDs && { sceneIDs }),
  };
  return startJob(server, TASK, { paths, wished, unwished }, call);
}
