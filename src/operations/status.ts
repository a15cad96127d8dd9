import type { Call } from '../server/call';
import type { Server } from '../server/server';
import { isRecord } from '../server/shape';

/** Selectable fields of the system status, as the interface document names them (part 2). */
export const statusFields = ['databaseSchema', 'databasePath', 'configPath', 'appSchema', 'status'] as const;
export type StatusField = (typeof statusFields)[number];

/** The system status with just the selected fields; null where the server has null. */
export type SystemStatus = Partial<Record<StatusField, string | number | null>>;

/** The server's status, asked anew each time. */
export async function status(
  server: Server,
  { fields }: { fields: readonly StatusField[] },
  call: Call,
): Promise<{ operation: string; status: SystemStatus }> {
  const operation = 'systemStatus';
  const status = await server.request({
    operation,
    document: `{ systemStatus { ${fields.join(' ')} } }`,
    shape: isStatus,
    kind: 'query',
    call,
  });
  return { operation, status };
}

/** The fields are the server's own, so only their frame is looked at. */
function isStatus(value: unknown): value is SystemStatus {
  return isRecord(value);
}
