import type { Call } from '../server/call';
import type { Server } from '../server/server';
import { type Job, startedBy } from './job';
import { checkPaths, requirePaths } from './library';

const INPUT = 'ScanMetadataInput';
const PATHS = { type: INPUT, since: 'v0.4.0' };

/** What a scan can do beside looking for new files, as the server's schema names it, and the release that has it first. */
const since = {
  rescan: 'v0.26.0',
  scanGenerateCovers: 'v0.20.0',
  scanGeneratePreviews: 'v0.5.0',
  scanGenerateImagePreviews: 'v0.5.0',
  scanGenerateSprites: 'v0.5.0',
  scanGeneratePhashes: 'v0.7.0',
  scanGenerateThumbnails: 'v0.10.0',
  scanGenerateClipPreviews: 'v0.21.0',
} as const;
export type ScanOption = keyof typeof since;
export const scanOptions = Object.keys(since) as ScanOption[];

export interface ScanInput {
  /** Folders and files to scan; null for the whole library. */
  paths: readonly string[] | null;
  options: readonly ScanOption[];
}

/**
 * Starts a scan for new files.
 * @throws {StashError} UNSUPPORTED for an option that this server lacks, PATH_NOT_IN_LIBRARY.
 */
export async function scan(
  server: Server,
  { paths, options }: ScanInput,
  call: Call,
): Promise<{ operation: string; job: Job }> {
  if (paths) await checkPaths(server, PATHS, paths, call);
  const operation = 'metadataScan';
  return server.request({
    kind: 'mutation',
    call,
    ask: (schema) => {
      // It may have been read anew since the paths were checked.
      if (paths) requirePaths(schema, PATHS);
      const lacking = options.find((option) => !schema.has(INPUT, option));
      if (lacking) throw schema.lacks(lacking, since[lacking]);
      const ticked = Object.fromEntries(options.map((option) => [option, true]));
      const input = schema.input(INPUT, { ...(paths && { paths }), ...ticked });
      return {
        operation,
        document: `mutation ($input: ${INPUT}!) { metadataScan(input: $input) }`,
        variables: { input },
        read: startedBy(operation),
      };
    },
  });
}
