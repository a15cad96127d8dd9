import { folderOf } from './disk';
import { type Entry, FILE_SIZE, isFolder, type Library, pathsOf, type Studio, type Tag } from './library';
import type { People } from './people';
import type { Quirks } from './quirks';
import { describeChanges } from './scene-changes';

/** The parts of the server that scenes, images and galleries depend on. */
export interface EntryState {
  readonly quirks: Quirks;
  readonly library: Library;
  readonly people: People;
  readonly studios: readonly Studio[];
  readonly tags: readonly Tag[];
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Returns what has one of the names. Somebody whom the server does not know has the name as an id. */
function named(names: readonly string[], known: readonly Named[]): Named[] {
  return names.map((name) => known.find((each) => each.name === name) ?? { id: name, name });
}

/** Returns what has one of the ids. */
function known(ids: readonly string[], all: readonly Named[]): Named[] {
  return ids.map((id) => all.find((each) => each.id === id) ?? { id, name: id });
}

function studiosOf(entry: Entry, { library, studios }: EntryState): Named[] {
  const id = library.studioOf.get(entry);
  return id === undefined
    ? named([entry.details.studio ?? []].flat(), studios)
    : studios.filter((each) => each.id === id);
}

function starsOf(entry: Entry, { library, people }: EntryState): Named[] {
  const { performers } = library.changes.get(entry) ?? {};
  return performers ? known(performers, people.all) : named(entry.details.performers ?? [], people.all);
}

function labelsOf(entry: Entry, server: EntryState): Named[] {
  const { tags } = server.library.changes.get(entry) ?? {};
  return tags ? known(tags, server.tags) : named(entry.details.tags ?? [], server.tags);
}

/** Returns the id of the studio of an item, if it has one. */
export function studioOf(entry: Entry, server: EntryState): string[] {
  return studiosOf(entry, server).map(({ id }) => id);
}

/** Returns the ids of the performers of an item. */
export function performersOf(entry: Entry, server: EntryState): string[] {
  return starsOf(entry, server).map(({ id }) => id);
}

/** Returns the ids of the tags of an item. */
export function tagsOf(entry: Entry, server: EntryState): string[] {
  return labelsOf(entry, server).map(({ id }) => id);
}

/** Returns the images of a gallery: those in its folder. */
export function imagesOf({ kind, path }: Entry, { library }: EntryState): Entry[] {
  if (kind !== 'gallery' || !isFolder(path)) return [];
  return library.all('image').filter((image) => folderOf(image.path) === path);
}

/** Returns an item as the server reports it. */
export function describeEntry(entry: Entry, server: EntryState): object {
  const { quirks, library } = server;
  const { kind, id, title, path, createdAt, details } = entry;
  const { date = null, text = '', seconds = 60 } = details;
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
  const images = imagesOf(entry, server);
  return {
    id,
    title: title ?? (empty ? '' : path.replace(/^.*\//, '')),
    date,
    details: text,
    studio: studiosOf(entry, server)[0] ?? null,
    performers: starsOf(entry, server),
    tags: labelsOf(entry, server),
    created_at: createdAt,
    path,
    // The size of a video is a text, up to v0.16.
    file: { size: kind === 'scene' ? String(FILE_SIZE) : FILE_SIZE, ...measures },
    files: hasFolder ? [] : files,
    visual_files: files,
    folder: hasFolder ? { id, path } : null,
    image_count: images.length,
    cover: images[0] ? describeEntry(images[0], server) : null,
    ...describeChanges(entry, library, quirks),
  };
}
