import type { Call } from '../server/call';
import type { Server } from '../server/server';
import { isRecord, listOf } from '../server/shape';

/** Selectable fields of a studio, as the interface document names them (part 2). */
export const studioFields = ['id', 'checksum', 'url', 'name', 'image_path', 'scene_count'] as const;
export type StudioField = (typeof studioFields)[number];

/** A studio with just the selected fields; null where the server has null. */
export type Studio = Partial<Record<StudioField, string | number | null>>;

/** All studios of the library, in the server's order (by name). */
export async function studios(
  server: Server,
  { fields }: { fields: readonly StudioField[] },
  call: Call,
): Promise<{ operation: string; studios: Studio[] }> {
  const operation = 'allStudios';
  const studios = await server.request({
    operation,
    document: `{ allStudios { ${fields.join(' ')} } }`,
    shape: listOf(isStudio),
    kind: 'query',
    call,
  });
  return { operation, studios };
}

/** The fields are the server's own, so only their frame is looked at. */
function isStudio(value: unknown): value is Studio {
  return isRecord(value);
}
