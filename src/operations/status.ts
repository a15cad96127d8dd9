import type { Call } from '../call';
import { StashError } from '../errors';
import { isRecord, parsed } from '../guards';
import type { JobRecord } from '../records';
import type { Operation, Schema, Server } from '../server';
import { select } from './selection';

/** Selectable fields of the system status, as the interface document names them (part 2). */
export const statusFields = ['databaseSchema', 'databasePath', 'configPath', 'appSchema', 'status'] as const;
/** A field of the system status. */
export type StatusField = (typeof statusFields)[number];

/** Further selectable fields, each with a request of its own. */
export const furtherFields = ['version', 'jobs'] as const;
type FurtherField = (typeof furtherFields)[number];

/** The system status with only the selected fields; null where the server has null. */
export type SystemStatus = Partial<Record<StatusField, string | number | null>> & {
  /** The server's release, such as `v0.30.1`; null for a build without one. */
  version?: string | null;
  /** The jobs that run or wait, in the order of the queue. */
  jobs?: JobRecord[];
};

/** The result of a status request. */
export interface Status {
  /** The root field of the request. */
  operation: string;
  /** The selected fields. */
  status: SystemStatus;
  /** Selected fields that this server cannot give. */
  missing: (StatusField | FurtherField)[];
  /** The server's release, only if the server has no system status (before v0.7.0). */
  version?: string;
}

/**
 * Requests the selected fields of the server's status, and nothing else.
 * @throws {StashError} as `Server.request`; a server without a job queue is not an error.
 */
export async function status(
  server: Server,
  { fields }: { fields: readonly (StatusField | FurtherField)[] },
  call: Call,
): Promise<Status> {
  const systemFields = fields.filter(isStatusField);
  const parts: Status[] = [];
  if (systemFields.length > 0) parts.push(await systemStatus(server, systemFields, call));
  if (fields.includes('version')) parts.push(await release(server, call));
  if (fields.includes('jobs')) parts.push(await jobQueue(server, call));
  return parts.reduce((all, part) => ({
    ...all,
    status: { ...all.status, ...part.status },
    missing: [...all.missing, ...part.missing],
  }));
}

function isStatusField(field: StatusField | FurtherField): field is StatusField {
  return !furtherFields.some((further) => further === field);
}

async function release(server: Server, call: Call): Promise<Status> {
  const operation = 'version';
  const read = parsed(isRecord, ({ version }) => ({
    operation,
    status: { version: typeof version === 'string' && version !== '' ? version : null },
    missing: [],
  }));
  const document = '{ version { version } }';
  return server.request({ kind: 'query', call, build: () => ({ rootField: operation, document, read }) });
}

/** Requests the jobs that run or wait; a server without a job queue has none to give. */
async function jobQueue(server: Server, call: Call): Promise<Status> {
  const operation = 'jobQueue';
  try {
    return { operation, status: { jobs: await server.jobQueue(call) }, missing: [] };
  } catch (error) {
    if (!(error instanceof StashError && error.code === 'UNSUPPORTED')) throw error;
    return { operation, status: {}, missing: ['jobs'] };
  }
}

async function systemStatus(server: Server, fields: readonly StatusField[], call: Call): Promise<Status> {
  return server.request({
    kind: 'query',
    call,
    build: (schema) =>
      schema.has('Query', 'systemStatus') ? fromStatus(schema, fields) : fromConfiguration(schema, fields),
  });
}

function fromStatus(schema: Schema, fields: readonly StatusField[]): Operation<Status> {
  const operation = 'systemStatus';
  const { text, missing, pick } = select(schema, 'SystemStatus', fields);
  const read = parsed(isRecord, (status) => ({ operation, status: pick(status), missing }));
  return { rootField: operation, document: `{ systemStatus { ${text} } }`, read };
}

/** Builds the operation for servers before v0.7.0, whose configuration has some of the fields. */
function fromConfiguration(schema: Schema, fields: readonly StatusField[]): Operation<Status> {
  const operation = 'configuration';
  const { text, missing, pick } = select(schema, 'ConfigGeneralResult', fields, {
    configPath: { of: 'configFilePath', by: (path: unknown) => path },
  });
  const read = parsed(isGeneral, ({ general }) => {
    return { operation, status: pick(general), missing, version: schema.release };
  });
  return { rootField: operation, document: `{ configuration { general { ${text} } } }`, read };
}

function isGeneral(value: unknown): value is { general: Record<string, unknown> } {
  return isRecord(value) && isRecord(value['general']);
}
