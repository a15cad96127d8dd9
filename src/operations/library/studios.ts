import { createHash } from 'node:crypto';
import type { Call } from '../../call';
import { arrayOf, isRecord, isString, parsed } from '../../guards';
import { fieldsOf, firstOf, select, type Server } from '../../server';

/** Fields of a studio, as the interface document names them (part 2). */
export const documentedStudioFields = ['id', 'checksum', 'url', 'name', 'image_path', 'scene_count'] as const;

/** Selectable fields. */
export const studioFields = [...documentedStudioFields, 'organized'] as const;
type StudioField = (typeof studioFields)[number];

/** What the dialog offers that not every release has. */
export const studioRequirements = fieldsOf('Studio', { organized: 'v0.31.0' });

export interface Studios {
  /** The root field of the request. */
  operation: string;
  /** In the server's order, by name. */
  studios: Partial<Record<StudioField, string | number | boolean | null>>[];
  /** Selected fields that this server cannot give. */
  missing: StudioField[];
}

/** Fields that later releases removed or will remove. The checksum was always the MD5 of the name. */
const variants = {
  checksum: [
    { name: 'checksum' },
    {
      name: 'name',
      read: (name: unknown) => (isString(name) ? createHash('md5').update(name).digest('hex') : null),
    },
  ],
  url: [{ name: 'url' }, { name: 'urls', read: firstOf }],
};

/** Requests all studios of the library. @throws {StashError} as `Server.request`. */
export async function studios(
  server: Server,
  { fields }: { fields: readonly StudioField[] },
  call: Call,
): Promise<Studios> {
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      const { text, missing, isExact, read: studioIn } = select(schema, 'Studio', fields, variants);
      const operation = 'allStudios';
      const read = parsed(arrayOf(isRecord), (studios) => ({
        operation,
        // Copies would take a fifth of the time of a long list.
        studios: isExact ? studios : studios.map(studioIn),
        missing,
      }));
      return { rootField: operation, document: `{ allStudios { ${text} } }`, read };
    },
  });
}
