import type { IncomingMessage } from 'node:http';
import { type Answer, text } from './answers';
import { FILE_SIZE, type Library } from './library';
import type { Quirks } from './quirks';
import { serveFile } from './served-file';

/** The parts of the server that the files of the library need. */
export interface MediaState {
  readonly quirks: Quirks;
  readonly status: 'SETUP' | 'NEEDS_MIGRATION' | 'OK';
  readonly library: Library;
}

/** A file in an archive, whose path goes on after that of the archive. */
const ARCHIVED = /\.(zip|cbz)[/\0]/;

// As Go derives them from the name.
const TYPES: Readonly<Record<string, string>> = {
  '.mp4': 'video/mp4',
  '.mkv': 'video/x-matroska',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

/** Answers a request for the file of a scene or an image; undefined for another address. */
export function mediaAnswer(
  { quirks, status, library }: MediaState,
  request: IncomingMessage,
  address: string,
): Answer | undefined {
  const [, scene, converted, image] =
    /^\/(?:scene\/([^/]+)\/stream(\.mp4)?|image\/([^/]+)\/image)\/?$/.exec(address) ?? [];
  const id = scene ?? image;
  if (id === undefined) return undefined;
  if (request.method !== 'GET') return { status: 405, headers: {}, body: '' };
  if (status !== 'OK' && quirks.noDatabase.startsWith('Internal')) return text(500, '');
  const entries = status === 'OK' ? library.all(scene === undefined ? 'image' : 'scene') : [];
  const entry = entries.find((each) => each.id === id);
  if (!entry) return text(404, 'Not Found\n');
  const madeAt = new Date(entry.createdAt);
  if (converted !== undefined) {
    // It begins the response before it opens the file.
    const headers = { 'Content-Type': 'video/mp4', 'Transfer-Encoding': 'chunked' };
    return { status: 200, headers, body: library.disk.has(entry.path) ? 'converted' : '' };
  }
  if (scene !== undefined && library.transcodes.has(id)) {
    return serveFile({ content: Buffer.alloc(1000), madeAt, type: 'video/mp4' }, request.headers);
  }
  if (!library.disk.has(entry.path)) {
    return scene === undefined && quirks.failsMissingImage
      ? text(500, `open ${entry.path}: no such file or directory\n`)
      : text(404, '404 page not found\n');
  }
  const [ending = ''] = /\.[^./]+$/.exec(entry.path) ?? [];
  const type = TYPES[ending.toLowerCase()];
  const content = Buffer.alloc(FILE_SIZE, entry.path);
  const served = serveFile({ content, madeAt, ...(type && { type }) }, request.headers);
  if (!ARCHIVED.test(entry.path) || !quirks.streamsArchives) return served;
  return {
    status: 200,
    headers: { 'Content-Type': type ?? '', 'Transfer-Encoding': 'chunked' },
    body: content,
  };
}
