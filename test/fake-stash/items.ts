import { folderOf } from './disk';
import { type Entry, FILE_SIZE, isFolder, type Library, pathsOf } from './library';
import type { Quirks } from './quirks';
import { describeScene } from './scene-changes';

/** Returns an item as the server reports it. The images of a gallery are those in its folder. */
export function describeItem(entry: Entry, library: Library, quirks: Quirks): object {
  const { kind, id, title, path, createdAt, details } = entry;
  const { date = null, text = '', studio, performers = [], tags = [], seconds = 60 } = details;
  const empty = kind === 'image' ? quirks.emptyImageTitle : quirks.emptyTitle;
  const measures = { width: 1920, height: 1080, duration: seconds };
  const file = {
    __typename: kind === 'image' ? 'ImageFile' : 'VideoFile',
    id,
    path,
    basename: path.replace(/^.*\//, ''),
    size: FILE_SIZE,
    ...measures,
    created_at: createdAt,
  };
  const files = pathsOf(entry).map((each) => ({ ...file, path: each, basename: each.replace(/^.*\//, '') }));
  const hasFolder = kind === 'gallery' && isFolder(path);
  const images = hasFolder ? library.all('image').filter((image) => folderOf(image.path) === path) : [];
  const named = (names: readonly string[]) => names.map((name) => ({ name }));
  return {
    id,
    title: title ?? (empty ? '' : path.replace(/^.*\//, '')),
    date,
    details: text,
    rating: null,
    rating100: null,
    organized: false,
    o_counter: 0,
    studio: studio === undefined ? null : { name: studio },
    performers: named(performers),
    tags: named(tags),
    created_at: createdAt,
    path,
    // The size of a video is a text, up to v0.16.
    file: { size: kind === 'scene' ? String(FILE_SIZE) : FILE_SIZE, ...measures },
    files: hasFolder ? [] : files,
    visual_files: files,
    folder: hasFolder ? { id, path } : null,
    image_count: images.length,
    cover: images[0] ? describeItem(images[0], library, quirks) : null,
    ...(kind === 'scene' && describeScene(entry, library, quirks)),
  };
}
