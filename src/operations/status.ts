import type { Call } from '../call';
import { StashError } from '../errors';
import { isRecord, parsed } from '../guards';
import type { JobRecord } from '../records';
import type { Operation, Schema, Server } from '../server';
import { select } from './selection';

/** Selectable fields of the system status, as the interface document names them (part 2). */
export const statusFields = ['databaseSchema', 'databasePath', 'configPath', 'appSchema', 'status'] as const;
export type StatusField = (typeof statusFields)[number];

/** What can be told beside, each by a question of its own. */
export const furtherFields = ['jobs'] as const;
type FurtherField = (typeof furtherFields)[number];

/** The system status with just the selected fields; null where the server has null. */
export type SystemStatus = Partial<Record<StatusField, string | number | null>> & {
  /** The jobs that wait or run. */
  jobs?: JobRecord[];
};

export interface Status {
  operation: string;
  status: SystemStatus;
  /** Selected fields that this server cannot give. */
  missing: (StatusField | FurtherField)[];
  /** The server's release, where it does not tell its status. */
  version?: string;
}

/** The server's status, asked anew each time; what is not selected is not asked for. */
export async function status(
  server: Server,
  { fields }: { fields: readonly (StatusField | FurtherField)[] },
  call: Call,
): Promise<Status> {
  const own = fields.filter((field) => field !== 'jobs');
  if (!fields.includes('jobs')) return systemStatus(server, own, call);
  const told =
    own.length === 0
      ? { operation: 'jobQueue', status: {}, missing: [] }
      : await systemStatus(server, own, call);
  try {
    return { ...told, status: { ...told.status, jobs: await server.jobQueue(call) } };
  } catch (error) {
    if (!(error instanceof StashError && error.code === 'UNSUPPORTED')) throw error;
    return { ...told, missing: [...told.missing, 'jobs'] };
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

/** What servers before v0.7.0 tell of the same. */
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
