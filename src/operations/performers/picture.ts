import type { Call } from '../../call';
import { StashError } from '../../errors';
import { arrayOf, isRecord, parsed } from '../../guards';
import { type Server, siteOfAddress } from '../../server';
import type { StoredPerformer } from './changes';
import { contentOf, dataUrlOf, isAddress } from './values';

/** Stands for the picture of a performer that is another one, or cannot be compared. */
export const OTHER = '(another picture)';

/**
 * Returns a stored performer with its picture, compared with the one to save: `image` is null if it has none, and the given text
 * if it is the same. What the server would have to fetch cannot be compared.
 * @param picture as in `GivenFields`.
 * @throws {StashError} as `Server.request`.
 */
export async function withPicture(
  server: Server,
  stored: StoredPerformer,
  picture: string,
  call: Call,
): Promise<StoredPerformer> {
  if (await lacksPicture(server, stored, call)) return { ...stored, image: null };
  const content = contentOf(picture);
  if (!content) return { ...stored, image: OTHER };
  const about = { kind: 'performer', id: String(stored['id']) } as const;
  // Of any type: a page of the server instead of the picture is another content.
  const current = await server.media.picture(about, call, content.length, () => true);
  return { ...stored, image: current?.content.equals(content) ? picture : OTHER };
}

/**
 * Returns the content of the picture that a server has of a performer; null if it cannot be read.
 * @throws the reason of the call's signal, once it is aborted.
 */
export async function storedPicture(server: Server, id: string, call: Call): Promise<Buffer | null> {
  try {
    const current = await server.media.picture({ kind: 'performer', id }, call, undefined, () => true);
    return current?.content ?? null;
  } catch (error) {
    if (!(error instanceof StashError) || call.signal.aborted) throw error;
    return null;
  }
}

/** Gives a performer the picture that it had; with null, none. @throws {StashError} as a mutation. */
export async function putBack(server: Server, id: string, content: Buffer | null, call: Call): Promise<void> {
  const rootField = 'performerUpdate';
  await server.request({
    kind: 'picture',
    call,
    build: () => ({
      rootField,
      document: `mutation ($input: PerformerUpdateInput!) { ${rootField}(input: $input) { id } }`,
      variables: { input: { id, image: content && dataUrlOf(content) } },
      read: () => undefined,
    }),
  });
}

/** Returns the queue for the site from which the server fetches a picture; undefined if it fetches none. */
export function siteOfPicture(picture: string | undefined): string | undefined {
  return picture !== undefined && isAddress(picture) ? siteOfAddress(picture) : undefined;
}

/** Whether a performer has no picture. Not by its `image_path`, which tells that only since v0.21.0. */
async function lacksPicture(server: Server, { id, name }: StoredPerformer, call: Call): Promise<boolean> {
  const operation = 'findPerformers';
  return await server.request({
    kind: 'query',
    call,
    build: () => ({
      rootField: operation,
      document: `query ($filter: FindFilterType, $performer_filter: PerformerFilterType) {
        ${operation}(filter: $filter, performer_filter: $performer_filter) { performers { id } }
      }`,
      variables: {
        filter: { per_page: -1 },
        performer_filter: { is_missing: 'image', name: { value: name, modifier: 'EQUALS' } },
      },
      read: parsed(isRecord, ({ performers }) =>
        parsed(arrayOf(isRecord), (all) => all.some((one) => one['id'] === id))(performers),
      ),
    }),
  });
}
