import type { Call } from '../../call';
import type { Server } from '../../server';
import type { FoundItem, Item } from './reader';

/** The formats of a picture: none, its content, or the address of a picture in a web page. */
export const pictureFormats = ['none', 'buffer', 'dataUrl'] as const;
export type PictureFormat = (typeof pictureFormats)[number];

/** The picture of an item as a message has it: absent unless pictures are wanted, and null if there is none. */
export interface WithPicture {
  picture?: Buffer | string | null;
}

/** An item as a message has it, perhaps with its picture. */
export type PicturedItem = Item & WithPicture;

/**
 * Fetches the picture of an item.
 * @throws {StashError} if the connection has failed.
 */
export async function fetchPicture(
  server: Server,
  { pictured }: Pick<FoundItem, 'pictured'>,
  format: PictureFormat,
  call: Call,
): Promise<WithPicture> {
  if (format === 'none') return {};
  const found = pictured && (await server.media.picture(pictured, call));
  if (!found) return { picture: null };
  const { content, type } = found;
  return { picture: format === 'buffer' ? content : `data:${type};base64,${content.toString('base64')}` };
}
