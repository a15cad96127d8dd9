import type { Backups } from './backups';
import { finderResolvers } from './finder';
import { withHooks } from './hooks';
import { obey, type PlayerState, writeState } from './players';
import { type FiltersState, savedFilterResolvers } from './saved-filters';
import { sceneResolvers } from './scenes';
import type { Github } from './github';
import type { Jobs, Task } from './jobs';
import type { ServerLog } from './server-log';
import { describeStudio, STASHES } from './library';
import { peopleResolvers, type PeopleState } from './people';
import { scraperResolvers, type ScraperState } from './scrapers';
import { SiteError } from './site';
import {
  clean,
  cleanGenerated,
  type CleanGeneratedInput,
  type CleanInput,
  exportAll,
  migrate,
  optimise,
} from './maintenance';
import {
  listPlugins,
  runPlugin,
  type RunPluginInput,
  installPackages,
  type InstallInput,
  updatePackages,
  type UpdateInput,
} from './plugins';
import { directory, savedOptions, type SettingsState } from './settings';
import { autoTag, type AutoTagInput, identify, type IdentifyInput } from './tagging';
import { statisticsOf } from './statistics';
import { generate, type GenerateInput, otherTask, scan } from './tasks';
import { updateResolvers, type UpdateState } from './updates';

/** The parts of the server that the resolvers use. */
export interface ServerState
  extends ScraperState, PlayerState, SettingsState, PeopleState, UpdateState, FiltersState {
  status: 'SETUP' | 'NEEDS_MIGRATION' | 'OK';
  /** When its release was built, in UTC. */
  readonly built: string;
  readonly ffmpeg: boolean;
  readonly jobs: Jobs;
  readonly serverLog: ServerLog;
  readonly backups: Backups;
  readonly github: Github;
  readonly log: (line: string) => void;
}

/** The parts of the request that the resolvers use. */
export interface Context {
  /** The address that the client used, as the server sees it. */
  origin: string;
  /** Aborted when the client disconnects. */
  gone: AbortSignal;
  /** Kills the server after the response to this request. */
  crash(): void;
}

/** Listens to the events of a subscription, by its root field. */
export function listen(
  { jobs, serverLog }: ServerState,
  field: string,
  listener: (event: unknown) => void,
  signal: AbortSignal,
): void {
  const tell = (value: unknown) => {
    listener({ [field]: value });
  };
  if (field === 'jobsSubscribe') jobs.updates.listen(tell, signal);
  else serverLog.batches.listen(tell, signal);
}

interface BackupTask {
  download?: boolean | null;
  includeBlobs?: boolean | null;
}

type TaskInput = Readonly<Record<string, unknown>>;
type ScanInput = TaskInput & {
  paths?: readonly string[] | null;
  filter?: { minModTime?: string | null } | null;
  scanGenerateCovers?: boolean | null;
};

const CONFIGURATION = '/config/config.yml';
const HASH = '57a3c2fe';

/** Returns the resolvers of all schemas, as the root value of an execution. */
export function resolvers(server: ServerState) {
  const { quirks } = server;
  return {
    ...scraperResolvers(server),
    ...documentedScraping(server),
    ...finderResolvers(server),
    ...savedFilterResolvers(server),
    ...sceneResolvers(server),
    ...withHooks(server, { ...peopleResolvers(server), ...updateResolvers(server) }),
    allStudios(_: unknown, { origin }: Context) {
      if (server.status !== 'OK') throw new Error(quirks.noDatabase);
      return server.studios.map((studio) => describeStudio(studio, origin, quirks));
    },
    systemStatus: () => ({
      databaseSchema: databaseSchema(server),
      databasePath: server.status === 'SETUP' ? '' : database(server),
      configPath: CONFIGURATION,
      appSchema: quirks.appSchema,
      status: server.status,
      os: 'linux',
      workingDir: '/',
      homeDir: '/root',
      ffmpegPath: server.ffmpeg && server.status !== 'SETUP' ? '/usr/bin/ffmpeg' : '',
      ffprobePath: server.ffmpeg && server.status !== 'SETUP' ? '/usr/bin/ffprobe' : '',
    }),
    version: () => ({ version: quirks.version, hash: HASH, build_time: server.built }),
    latestversion: server.github.resolver(HASH),
    stats: () => statisticsOf(server),
    configuration: () => ({
      general: {
        databasePath: database(server),
        blobsStorage: server.backups.blobsStorage,
        configFilePath: CONFIGURATION,
        stashes: server.status === 'SETUP' ? [] : STASHES,
      },
      ...savedOptions(server),
    }),
    plugins: () => listPlugins(server),
    directory: ({ path }: { path?: string | null }) => directory(server, path),
    logs: () => server.serverLog.newest,
    jobQueue: () => server.jobs.queue,
    findJob: ({ input }: { input: { id: string } }) => server.jobs.find(numeric(input.id)),

    metadataScan({ input }: { input: ScanInput }, context: Context) {
      if (quirks.refusesNull) refuseNulls(input);
      const { paths, filter, scanGenerateCovers } = input;
      const since = filter?.minModTime ? timeOf(filter.minModTime) : undefined;
      return start(
        server,
        context,
        scan(server, paths ?? [], { since, covers: scanGenerateCovers === true }),
      );
    },
    metadataGenerate({ input }: { input: GenerateInput }, context: Context) {
      if (quirks.refusesNullContent) refuseNulls(input);
      const { markerIDs } = input;
      if (Array.isArray(markerIDs) && markerIDs.length > 0 && !quirks.survivesMarkers) context.crash();
      return start(server, context, generate(server, input));
    },
    metadataClean: ({ input }: { input: CleanInput }) => server.jobs.add(clean(server, input)),
    verifyPaths: ({ input }: { input: CleanInput }) =>
      server.jobs.add(clean(server, { ...input, purgeMissing: input.purgeMissing === true })),
    purgeMissing: () => server.jobs.add(otherTask('Purging missing files and folders...')),
    metadataCleanGenerated({ input }: { input: CleanGeneratedInput }) {
      if (quirks.refusesNull) refuseNulls(input);
      return server.jobs.add(cleanGenerated(server, input));
    },
    metadataAutoTag: ({ input }: { input: AutoTagInput }) => server.jobs.add(autoTag(server, input)),
    metadataIdentify: ({ input }: { input: IdentifyInput }) => server.jobs.add(identify(server, input)),
    metadataExport: () => server.jobs.add(exportAll(server)),
    migrate() {
      if (quirks.migratesInJob) return server.jobs.add(migrate(server));
      server.status = 'OK';
      return true;
    },
    optimiseDatabase: () => server.jobs.add(optimise(server)),
    runPluginTask(input: RunPluginInput) {
      const id = server.jobs.add(runPlugin(server, input));
      return quirks.pluginJobIds ? id : 'todo';
    },
    runPluginOperation({ args }: { args: { player: object } }) {
      writeState(server, args.player);
      return 'told';
    },
    configurePlugin({ plugin_id: id, input }: { plugin_id: string; input: { commands?: string } }) {
      server.pluginSettings.push({ id, input });
      obey(server);
      return input;
    },
    installPackages: (input: InstallInput) => server.jobs.add(installPackages(server, input)),
    updatePackages: (input: UpdateInput) => server.jobs.add(updatePackages(server, input)),
    async backupDatabase({ input }: { input: BackupTask }, { origin }: Context) {
      const schema = databaseSchema(server);
      // Otherwise Stash reports success, because it writes an empty database.
      const fails = input.download === true || !quirks.backsUpNothing;
      if (server.status === 'SETUP' && fails) throw new Error(quirks.noDatabase);
      if (input.download) {
        const path = await server.backups.stage(schema, input.includeBlobs === true);
        server.log(`backup to download: ${path}`);
        return origin + path;
      }
      await server.backups.store(schema);
      server.log('backup stored');
      return null;
    },
    stopJob({ job_id }: { job_id: string }) {
      server.jobs.stop(numeric(job_id, 'converting id: '));
      return true; // unknown and finished jobs included
    },
    stopAllJobs() {
      server.jobs.stopAll();
      return true;
    },
  };
}

// No release has these names, so they follow the interface document. It does not say whether a request to the site
// goes on after the client disconnects. Here it does, because that is harder for a client.
function documentedScraping({ site }: ServerState) {
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

// All other fields of a task's input are Booleans.
const NOT_BOOLEAN = ['paths', 'filter', 'previewOptions', 'sceneIDs', 'markerIDs', 'imageIDs', 'galleryIDs'];

function refuseNulls(input: TaskInput): void {
  const nulls = Object.entries(input).some(([name, value]) => value === null && !NOT_BOOLEAN.includes(name));
  if (nulls) throw new Error('<nil> is not a bool');
}

/** Starts a scan or generates content, which need ffmpeg. */
function start(server: ServerState, context: Context, task: Task): string {
  const { quirks, status, ffmpeg, jobs } = server;
  const refused = status === 'SETUP' ? quirks.scanInSetup === 'refuse' : !ffmpeg;
  if (refused) throw new Error('missing ffmpeg and/or ffprobe');
  // The job uses a database that is not open, which kills the process.
  const dies =
    status === 'SETUP'
      ? quirks.scanInSetup === 'crash'
      : status === 'NEEDS_MIGRATION' && !quirks.survivesOldDatabase;
  if (dies) context.crash();
  return jobs.add(task);
}

function database({ backups }: ServerState): string {
  return `/config/${backups.databaseName}`;
}

function databaseSchema({ status, quirks }: ServerState): number {
  return { SETUP: 0, NEEDS_MIGRATION: quirks.oldSchema, OK: quirks.appSchema }[status];
}

/** Reads a time as Stash does: of its four forms the one with a time zone. */
function timeOf(text: string): number {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)) return Date.parse(text);
  throw new Error(`ParseDateStringAsTime failed: dateString <${text}>`);
}

function numeric(id: string, prefix = ''): string {
  if (/^[+-]?\d+$/.test(id)) return id;
  throw new Error(`${prefix}strconv.Atoi: parsing "${id}": invalid syntax`);
}
