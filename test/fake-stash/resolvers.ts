import type { Backups } from './backups';
import { finding } from './finding';
import type { Jobs, Task } from './jobs';
import type { Journal } from './journal';
import { describeStudio, STASHES, type Studio } from './library';
import { scraping, type Scraping } from './scrapers';
import { SiteError } from './site';
import { generate, type GenerateInput, scan, type Tasks } from './tasks';

/** What a server's resolvers work on. */
export interface World extends Scraping, Tasks {
  status: 'SETUP' | 'NEEDS_MIGRATION' | 'OK';
  studios: readonly Studio[];
  readonly ffmpeg: boolean;
  readonly jobs: Jobs;
  readonly journal: Journal;
  readonly backups: Backups;
  readonly log: (line: string) => void;
}

/** What a resolver knows of the request. */
export interface Context {
  /** The address by which the client came, as the server sees it. */
  origin: string;
  /** Is aborted when the client does not wait for the answer any more. */
  gone: AbortSignal;
  /** Ends the server as a crash does, as soon as this request is answered. */
  crash(): void;
}

/** The events of the subscriptions, by their root field. */
export function listen(
  { jobs, journal, scanned }: World,
  field: string,
  listener: (event: unknown) => void,
  signal: AbortSignal,
): void {
  const tell = (value: unknown) => {
    listener({ [field]: value });
  };
  if (field === 'jobsSubscribe') jobs.updates.listen(tell, signal);
  else if (field === 'loggingSubscribe') journal.batches.listen(tell, signal);
  else scanned.listen(tell, signal);
}

type TaskInput = Readonly<Record<string, unknown>>;
type ScanInput = TaskInput & { paths?: readonly string[] | null };

const CONFIGURATION = '/config/config.yml';

/** The resolvers of every schema as the root value of an execution. */
export function resolvers(world: World) {
  const { habits } = world;
  return {
    ...scraping(world),
    ...documentedScraping(world),
    ...finding(world),
    allStudios(_: unknown, { origin }: Context) {
      if (world.status !== 'OK') throw new Error(habits.noDatabase);
      return world.studios.map((studio) => describeStudio(studio, origin, habits));
    },
    systemStatus: () => ({
      databaseSchema: databaseSchema(world),
      databasePath: world.status === 'SETUP' ? '' : database(world),
      configPath: CONFIGURATION,
      appSchema: habits.appSchema,
      status: world.status,
      os: 'linux',
      workingDir: '/',
      homeDir: '/root',
      ffmpegPath: world.ffmpeg && world.status !== 'SETUP' ? '/usr/bin/ffmpeg' : '',
      ffprobePath: world.ffmpeg && world.status !== 'SETUP' ? '/usr/bin/ffprobe' : '',
    }),
    version: { version: habits.version, hash: '57a3c2fe', build_time: '2025-12-18 05:25:41' },
    configuration: () => ({
      general: {
        databasePath: database(world),
        configFilePath: CONFIGURATION,
        stashes: world.status === 'SETUP' ? [] : STASHES,
      },
    }),
    logs: () => world.journal.newest,
    jobStatus: () => world.jobs.slot,
    jobQueue: () => world.jobs.queue,
    findJob: ({ input }: { input: { id: string } }) => world.jobs.find(numeric(input.id)),

    metadataScan({ input }: { input: ScanInput }, context: Context) {
      return start(world, context, scan(world, input.paths ?? []), input);
    },
    metadataGenerate({ input }: { input: GenerateInput }, context: Context) {
      return start(world, context, generate(world, input), input);
    },
    async backupDatabase({ input }: { input: { download?: boolean | null } }, { origin }: Context) {
      const schema = databaseSchema(world);
      // Otherwise it looks like success: what is kept then is an empty database.
      const fails = input.download === true || !habits.backsUpNothing;
      if (world.status === 'SETUP' && fails) throw new Error(habits.noDatabase);
      if (input.download) {
        const path = await world.backups.stage(schema);
        world.log(`backup to download: ${path}`);
        return origin + path;
      }
      await world.backups.store(schema);
      world.log('backup stored');
      return null;
    },
    stopJob({ job_id }: { job_id?: string }) {
      if (job_id === undefined) world.jobs.stopRunning();
      else world.jobs.stop(numeric(job_id, 'converting id: '));
      return true; // for unknown and finished jobs, too
    },
    stopAllJobs() {
      world.jobs.stopAll();
      return true;
    },
  };
}

// No release has these names; what they do is what the interface document says. Whether a call to the site goes on
// without a client is not said, so it does: that asks more of one.
function documentedScraping({ site }: World) {
  const ask = async <T>(kind: 'name' | 'fragment', call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof SiteError)) throw error;
      throw new Error(
        `error while ${kind} scraping with scraper builtin_site: failed to load URL "${error.address}": ${error.message}`,
        { cause: error },
      );
    }
  };
  return {
    scrapeSite({ performer_name }: { performer_name: string }) {
      return ask('fragment', () => site.find('scrapeSite', performer_name));
    },
    async scrapeSitePerformerList({ query }: { query: string }) {
      const found = await ask('name', () => site.search('scrapeSitePerformerList', query));
      return found.map(({ name }) => name);
    },
  };
}

// Other fields of a task's input than these are Booleans.
const NOT_BOOLEAN = ['paths', 'filter', 'previewOptions', 'sceneIDs', 'markerIDs'];

function start(
  { habits, status, ffmpeg, jobs }: World,
  context: Context,
  task: Task,
  input: TaskInput,
): string {
  const nulls = Object.entries(input).some(([name, value]) => value === null && !NOT_BOOLEAN.includes(name));
  if (nulls && habits.refusesNull) throw new Error('<nil> is not a bool');
  const refused = status === 'SETUP' ? habits.scanInSetup === 'refuse' : !ffmpeg && habits.queuesJobs;
  if (refused) throw new Error('missing ffmpeg and/or ffprobe');
  // The job runs into a database that is not open, and takes the whole process with it.
  const dies =
    status === 'SETUP'
      ? habits.scanInSetup === 'crash'
      : status === 'NEEDS_MIGRATION' && !habits.survivesOldDatabase;
  if (dies) context.crash();
  if (habits.queuesJobs) return jobs.add(task);
  if (!jobs.queue) jobs.add(task);
  return 'todo';
}

function database({ backups }: World): string {
  return `/config/${backups.databaseName}`;
}

function databaseSchema({ status, habits }: World): number {
  return { SETUP: 0, NEEDS_MIGRATION: habits.oldSchema, OK: habits.appSchema }[status];
}

function numeric(id: string, prefix = ''): string {
  if (/^[+-]?\d+$/.test(id)) return id;
  throw new Error(`${prefix}strconv.Atoi: parsing "${id}": invalid syntax`);
}
