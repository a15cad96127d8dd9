import type { Call } from '../../call';
import { StashError } from '../../errors';
import { isRecord, isString, parsed } from '../../guards';
import type { JobRecord } from '../../records';
import { type Operation, type Requirements, type Schema, select, type Server } from '../../server';
import { type Build, latestVersion, type LatestVersion, type UnknownRelease } from './latest-version';

/** Selectable fields of the system status, as the interface document names them (part 2). */
export const statusFields = ['databaseSchema', 'databasePath', 'configPath', 'appSchema', 'status'] as const;
type StatusField = (typeof statusFields)[number];

/** Further selectable fields, each with a request of its own. */
export const furtherFields = ['version', 'latestVersion', 'stats', 'jobs'] as const;

type SelectableField = StatusField | (typeof furtherFields)[number];

/** What the dialog offers that not every release has. */
export const statusRequirements: Requirements = {
  latestVersion: { anyOf: [['LatestVersion', 'version']], since: 'v0.19.0' },
};

/** The fields of the statistics, in the order of the schema. */
const statFields = [
  'scene_count',
  'scenes_size',
  'scenes_duration',
  'image_count',
  'images_size',
  'gallery_count',
  'performer_count',
  'studio_count',
  'group_count',
  'tag_count',
  'total_o_count',
  'total_play_duration',
  'total_play_count',
  'scenes_played',
] as const;

/** What they count, by their names in a status. */
export const statUnits = Object.fromEntries(
  statFields.map((field) => {
    const unit = field.endsWith('size') ? 'bytes' : field.endsWith('duration') ? 'seconds' : 'count';
    return [`stats.${field}`, unit] as const;
  }),
);

/** The system status with only the selected fields; null where the server has null. */
export type SystemStatus = Partial<Record<StatusField, string | number | null>> & {
  /** The server's release, such as `v0.30.1`; null for a build without one. */
  version?: string | null;
  /** The latest release; null if it is unknown (`Status.unknown`). */
  latestVersion?: LatestVersion | null;
  /** The statistics of the library that this release has; null while the server has no database (`Status.unknown`). */
  stats?: Partial<Record<(typeof statFields)[number], number>> | null;
  /** The jobs that run or wait, in the order of the queue. */
  jobs?: JobRecord[];
};

export interface Status {
  /** The root field of the request. */
  operation: string;
  status: SystemStatus;
  /** Selected fields that this server cannot give. */
  missing: SelectableField[];
  /** Why a field is null that the server has, but could not find out. */
  unknown?: { latestVersion?: UnknownRelease; stats?: { state: 'SETUP' | 'NEEDS_MIGRATION' } };
}

/**
 * Requests the selected fields of the server's status, and nothing else.
 * @throws {StashError} as `Server.request`. It is no error if a server has no job queue, or cannot reach GitHub.
 */
export async function status(
  server: Server,
  { fields }: { fields: readonly SelectableField[] },
  call: Call,
): Promise<Status> {
  const systemFields = fields.filter(isStatusField);
  const needsBuild = fields.includes('version') || fields.includes('latestVersion');
  const build = needsBuild ? await buildOf(server, call) : undefined;
  // Before the others, because it may take seconds, after which they would be out of date.
  const latest = build && fields.includes('latestVersion') ? await latestOf(server, build, call) : undefined;
  const parts: Status[] = [];
  if (systemFields.length > 0) parts.push(await systemStatus(server, systemFields, call));
  if (build && fields.includes('version')) {
    parts.push({ operation: 'version', status: { version: build.version }, missing: [] });
  }
  if (latest) parts.push(latest);
  if (fields.includes('stats')) parts.push(await statistics(server, call));
  if (fields.includes('jobs')) parts.push(await jobQueue(server, call));
  return parts.reduce((all, part) => ({
    ...all,
    status: { ...all.status, ...part.status },
    missing: [...all.missing, ...part.missing],
    ...((all.unknown ?? part.unknown) && { unknown: { ...all.unknown, ...part.unknown } }),
  }));
}

function isStatusField(field: SelectableField): field is StatusField {
  return !furtherFields.some((further) => further === field);
}

async function buildOf(server: Server, call: Call): Promise<Build & { namesLatest: boolean }> {
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => ({
      rootField: 'version',
      document: '{ version { version hash } }',
      read: parsed(isRecord, ({ version, hash }) => ({
        version: isString(version) && version !== '' ? version : null,
        hash: isString(hash) ? hash : '',
        // Older servers tell only the hash of the latest release (before v0.19.0).
        namesLatest: schema.has('LatestVersion', 'version'),
      })),
    }),
  });
}

async function latestOf(
  server: Server,
  build: Awaited<ReturnType<typeof buildOf>>,
  call: Call,
): Promise<Status> {
  const operation = 'latestversion';
  if (!build.namesLatest) return { operation, status: {}, missing: ['latestVersion'] };
  const found = await latestVersion(server, build, call);
  if ('latest' in found) return { operation, status: { latestVersion: found.latest }, missing: [] };
  return {
    operation,
    status: { latestVersion: null },
    missing: [],
    unknown: { latestVersion: found.unknown },
  };
}

/** Requests the statistics; a server without a database has none yet. */
async function statistics(server: Server, call: Call): Promise<Status> {
  const operation = 'stats';
  try {
    return await server.request({ kind: 'query', call, build: statsOperation });
  } catch (error) {
    if (!(error instanceof StashError)) throw error;
    if (error.case === 'UNSUPPORTED.lacking') return { operation, status: {}, missing: ['stats'] };
    if (error.code !== 'SERVER_STATE') throw error;
    const state = error.case === 'SERVER_STATE.setup' ? 'SETUP' : 'NEEDS_MIGRATION';
    return { operation, status: { stats: null }, missing: [], unknown: { stats: { state } } };
  }
}

/** Counts groups under that name before v0.27.0, too, when Stash called them movies, so that a flow survives the upgrade. */
function statsOperation(schema: Schema): Operation<Status> {
  const operation = 'stats';
  if (!schema.has('Query', operation)) throw schema.lacks(operation);
  const { text, read: countsIn } = select(schema, 'StatsResultType', statFields, {
    group_count: [{ name: 'group_count' }, { name: 'movie_count' }],
  });
  const read = parsed(isRecord, (stats) => ({ operation, status: { stats: countsIn(stats) }, missing: [] }));
  return { rootField: operation, document: `{ stats { ${text} } }`, read };
}

/** Requests the jobs that run or wait; a server without a job queue has none to give. */
async function jobQueue(server: Server, call: Call): Promise<Status> {
  const operation = 'jobQueue';
  try {
    return { operation, status: { jobs: await server.jobs.queue(call) }, missing: [] };
  } catch (error) {
    if (!(error instanceof StashError && error.case === 'UNSUPPORTED.lacking')) throw error;
    return { operation, status: {}, missing: ['jobs'] };
  }
}

async function systemStatus(server: Server, fields: readonly StatusField[], call: Call): Promise<Status> {
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      const operation = 'systemStatus';
      if (!schema.has('Query', operation)) throw schema.lacks(operation);
      const { text, missing, read: statusIn } = select(schema, 'SystemStatus', fields);
      const read = parsed(isRecord, (status) => ({ operation, status: statusIn(status), missing }));
      return { rootField: operation, document: `{ systemStatus { ${text} } }`, read };
    },
  });
}
