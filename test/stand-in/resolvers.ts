import type { Backups } from './backups';
import type { Jobs } from './jobs';
import { describeStudio, filesBelow, FILES, type Studio } from './library';
import type { Site } from './site';

/** What a server's resolvers work on. */
export interface World {
  status: 'SETUP' | 'NEEDS_MIGRATION' | 'OK';
  studios: readonly Studio[];
  readonly ffmpeg: boolean;
  readonly jobs: Jobs;
  readonly backups: Backups;
  readonly site: Site;
  readonly log: (line: string) => void;
}

/** What a resolver knows of the request. */
export interface Context {
  /** The address by which the client came, as the server sees it. */
  origin: string;
  /** Ends the server as a crash does, as soon as this request is answered. */
  crash(): void;
}

type GenerateInput = Readonly<Record<string, unknown>> & { sceneIDs?: readonly string[] | null };

const APP_SCHEMA = 75; // v0.30.1
const OLD_SCHEMA = 72; // v0.28.1

const NO_DATABASE =
  'Internal system error. Error <runtime error: invalid memory address or nil pointer dereference>';

/** The resolvers of SCHEMA as the root value of an execution. */
export function resolvers(world: World) {
  return {
    allStudios(_: unknown, { origin }: Context) {
      if (world.status !== 'OK') throw new Error(NO_DATABASE);
      return world.studios.map((studio) => describeStudio(studio, origin));
    },
    scrapeSite: ({ performer_name }: { performer_name: string }) => world.site.find(performer_name),
    scrapeSitePerformerList: ({ query }: { query: string }) => world.site.search(query),
    systemStatus: () => ({
      databaseSchema: databaseSchema(world),
      databasePath: world.status === 'SETUP' ? '' : '/config/stash-go.sqlite',
      configPath: '/config/config.yml',
      appSchema: APP_SCHEMA,
      status: world.status,
    }),
    version: { version: 'v0.30.1', hash: '57a3c2fe', build_time: '2025-12-18 05:25:41' },
    jobQueue: () => world.jobs.queue,
    findJob: ({ input }: { input: { id: string } }) => world.jobs.find(numeric(input.id)),

    metadataScan({ input }: { input: { paths?: readonly string[] | null } }, context: Context) {
      const steps = filesBelow(input.paths).map((file) => `Scanning ${file}`);
      return start(world, context, 'Scanning...', steps);
    },
    metadataGenerate({ input }: { input: GenerateInput }, context: Context) {
      return start(world, context, 'Generating...', generateSteps(input));
    },
    async backupDatabase({ input }: { input: { download?: boolean | null } }, { origin }: Context) {
      const schema = databaseSchema(world);
      if (input.download) {
        if (world.status === 'SETUP') throw new Error(NO_DATABASE);
        const path = await world.backups.stage(schema);
        world.log(`backup to download: ${path}`);
        return origin + path;
      }
      // In SETUP it looks like success as well: what is kept then is an empty database.
      await world.backups.store(schema);
      world.log('backup stored');
      return null;
    },
    stopJob({ job_id }: { job_id: string }) {
      world.jobs.stop(numeric(job_id, 'converting id: '));
      return true; // for unknown and finished jobs, too
    },
  };
}

function start(world: World, context: Context, description: string, steps: string[]): string {
  if (!world.ffmpeg || world.status === 'SETUP') throw new Error('missing ffmpeg and/or ffprobe');
  // Up to v0.30.1 the job runs into a database that is not open, and takes the whole process with it.
  if (world.status === 'NEEDS_MIGRATION') context.crash();
  return world.jobs.add(description, steps);
}

// The scenes are numbered from 1 in the order of the files.
function generateSteps({ sceneIDs, ...input }: GenerateInput): string[] {
  const scenes = FILES.filter((_, index) => !sceneIDs?.length || sceneIDs.includes(String(index + 1)));
  return Object.entries(input)
    .filter(([name, chosen]) => chosen === true && name !== 'overwrite' && name !== 'forceTranscodes')
    .flatMap(([kind]) => scenes.map((scene) => `Generating ${kind} for ${scene}`));
}

function databaseSchema({ status }: World): number {
  return { SETUP: 0, NEEDS_MIGRATION: OLD_SCHEMA, OK: APP_SCHEMA }[status];
}

function numeric(id: string, prefix = ''): string {
  if (/^[+-]?\d+$/.test(id)) return id;
  throw new Error(`${prefix}strconv.Atoi: parsing "${id}": invalid syntax`);
}
