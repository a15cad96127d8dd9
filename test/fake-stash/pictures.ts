import type { IncomingMessage } from 'node:http';
import { type Answer, text } from './answers';
import type { KindsState } from './facts';
import type { MediaState } from './media';
import { poster } from './poster';
import { serveFile } from './served-file';

const SVG = 'image/svg+xml';
const NAMED_MADE = new Date('2024-01-10T10:00:00Z');
const DRAWING = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');

/** The parts of the server that have pictures. */
type PictureState = MediaState & KindsState;

/**
 * Answers a request for the picture of a studio, a performer, a tag or a group, the cover of a scene or the thumbnail of an image;
 * undefined for another address. A scene without a cover has a drawing since v0.17, and an empty response before (source v0.8.0 to
 * v0.30.1). An image without a file has a drawing since v0.17, and 404 before (source v0.11.0, v0.17.2).
 */
export function pictureAnswer(
  server: PictureState,
  request: IncomingMessage,
  address: string,
): Answer | undefined {
  const { quirks, status, library } = server;
  const named = namedIn(server, address);
  if (named) {
    if (!named.item) return text(404, 'Not Found\n');
    const { id, name } = named.item;
    const own = 'image' in named.item ? named.item['image'] : undefined;
    if (Buffer.isBuffer(own))
      return serveFile({ content: own, madeAt: NAMED_MADE, type: 'image/png' }, request.headers);
    const content = named.hasImage ? poster(name, Number(id)) : DRAWING;
    return serveFile(
      { content, madeAt: NAMED_MADE, type: named.hasImage ? 'image/png' : SVG },
      request.headers,
    );
  }
  const [, scene, image] = /^\/(?:scene\/(\d+)\/screenshot|image\/(\d+)\/thumbnail)\/?$/.exec(address) ?? [];
  const id = scene ?? image;
  if (id === undefined) return undefined;
  const kind = scene === undefined ? 'image' : 'scene';
  const entries = status === 'OK' ? library.all(kind) : [];
  const entry = entries.find((each) => each.id === id);
  if (!entry) return text(404, 'Not Found\n');
  const name = `${kind} ${id}`;
  const madeAt = new Date(entry.createdAt);
  const set = library.pictures.get(name);
  if (set === null) {
    if (quirks.minor >= 17) return serveFile({ content: DRAWING, madeAt, type: SVG }, request.headers);
    return kind === 'scene'
      ? { status: 200, headers: { 'Content-Type': SVG }, body: '' }
      : text(404, '404 page not found\n');
  }
  const { content, type } = set ?? {
    content: poster(entry.title ?? entry.path.replace(/^.*\//, ''), Number(id)),
    type: 'image/png',
  };
  return serveFile({ content, madeAt, type }, request.headers);
}

/**
 * Returns whose picture has an address: undefined for the address of none. Tags have none. Performers without one have a PNG file all
 * the same, and so have groups before v0.27.
 */
function namedIn({ quirks, studios, people, tags, groups }: PictureState, address: string) {
  const [, kind, id] = /^\/(\w+)\/(\d+)\/(?:front)?image$/.exec(address) ?? [];
  const isGroup = kind === (quirks.minor < 27 ? 'movie' : 'group');
  const all =
    { studio: studios, performer: people.all, tag: tags }[kind ?? ''] ?? (isGroup ? groups.all : undefined);
  if (!all) return undefined;
  const item = all.find((each) => each.id === id);
  const hasImage =
    item && 'hasImage' in item ? item['hasImage'] === true : kind === 'performer' || kind === 'movie';
  return { item, hasImage };
}
