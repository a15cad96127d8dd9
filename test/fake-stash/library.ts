import { createHash } from 'node:crypto';
import { Disk, folderOf, isBelow } from './disk';
import { Emitter } from './emitter';
import type { Quirks } from './quirks';

/** A studio in the database. */
export interface Studio {
  id: string;
  name: string;
  url: string | null;
  hasImage: boolean;
  sceneCount: number;
  /** The id of the studio that it belongs to. */
  parent?: string;
  aliases?: readonly string[];
  organized?: boolean;
}

/** A tag in the database. */
export interface Tag {
  id: string;
  name: string;
  aliases?: readonly string[];
}

/** The library folder for videos. */
export const FOLDER = '/media/videos';

/** The videos of a new server: a scan has one step for each. */
export const FILES: readonly string[] = [
  `${FOLDER}/Harbour Nine/Low Tide.mp4`,
  `${FOLDER}/Harbour Nine/Morning Ferry.mp4`,
  `${FOLDER}/Lanterna/Paper Moon.mp4`,
  `${FOLDER}/Quiet Hill/First Snow.mkv`,
  `${FOLDER}/Window Seat.mp4`,
];

/** The library folder for images. */
export const PICTURE_FOLDER = '/media/pictures';

/** A scan covers these only if it names their folder, so that a scan of everything has one step for each video. */
const PICTURES: readonly string[] = [`${PICTURE_FOLDER}/Harbour Nine/Poster.jpg`];

/** The library folders in the configuration. */
export const STASHES = [
  { path: FOLDER, excludeVideo: false, excludeImage: true },
  { path: PICTURE_FOLDER, excludeVideo: true, excludeImage: false },
];

/** In the order of their names, as Stash returns them. */
export const STUDIOS: readonly Studio[] = [
  { id: '4', name: 'Blue Kettle', url: 'https://bluekettle.example', hasImage: true, sceneCount: 12 },
  { id: '1', name: 'Harbour Nine', url: 'https://harbournine.example', hasImage: true, sceneCount: 48 },
  { id: '2', name: 'Lanterna', url: 'https://lanterna.example/films', hasImage: true, sceneCount: 7 },
  { id: '6', name: 'Old Mill & Sons', url: null, hasImage: false, sceneCount: 0 },
  { id: '3', name: 'Quiet Hill', url: 'https://quiethill.example', hasImage: true, sceneCount: 23 },
  { id: '5', name: 'Señal Norte', url: 'https://senalnorte.example', hasImage: true, sceneCount: 3 },
];

/** The tags of a new server. */
export const TAGS: readonly Tag[] = [
  { id: '1', name: 'Black and white', aliases: ['b/w'] },
  { id: '2', name: 'Documentary' },
];

/** Returns a studio as the server reports it; `origin` is the address that the client used. */
export function describeStudio(studio: Studio, origin: string, { emptyUrl }: Quirks) {
  const { id, name, url, organized = false, hasImage, sceneCount } = studio;
  return {
    id,
    name,
    url: url ?? (emptyUrl ? '' : null),
    urls: url === null ? [] : [url],
    organized,
    // The MD5 of the name, up to v0.23.
    checksum: createHash('md5').update(name).digest('hex'),
    // Since v0.26 there is an address even without an image, with a mark.
    image_path: `${origin}/studio/${id}/image?t=1704880000${hasImage ? '' : '&default=true'}`,
    scene_count: sceneCount,
  };
}

/** The type of item that a file becomes in the library. */
export type Kind = 'scene' | 'image' | 'gallery';

/** What a scan of a file, or a user, knows about an item; nothing by default. */
export interface Details {
  date?: string;
  /** The description. */
  text?: string;
  /** The names of a studio, performers and tags. */
  studio?: string;
  performers?: readonly string[];
  tags?: readonly string[];
  /** The paths of further files with the same content. */
  copies?: readonly string[];
  /** The duration of a video, in seconds (60). */
  seconds?: number;
}

/** A scene, an image or a gallery in the database. */
export interface Entry {
  readonly details: Details;
  readonly kind: Kind;
  readonly id: string;
  readonly title: string | null;
  readonly path: string;
  readonly createdAt: string;
}

/** What users have changed of an item, and when they played it. */
export interface Changes {
  /** Up to 5 or 100, as the release rates; no release refuses more. */
  readonly rating?: number | null;
  readonly organized?: boolean;
  /** The latest first. */
  readonly plays?: readonly string[];
  /** In seconds: where to resume, and how long it was watched. */
  readonly resumeTime?: number;
  readonly playDuration?: number;
  readonly oCounter?: number;
  /** The ids of its tags and performers, instead of those that its details name. */
  readonly tags?: readonly string[];
  readonly performers?: readonly string[];
  readonly urls?: readonly string[];
  /** By their names in the schema. */
  readonly texts?: Readonly<Partial<Record<Text, string | null>>>;
}

/** The texts that users can change. */
export const TEXTS = ['title', 'details', 'date', 'code', 'director', 'photographer'] as const;
export type Text = (typeof TEXTS)[number];

/** A file that a test puts on the disk; the release decides the title if there is none. */
export interface Arrival {
  path: string;
  title?: string;
  details?: Details;
  /** When it was last changed, in ISO 8601; before all scans by default. */
  modified?: string;
}

/** The size of each file in bytes. */
export const FILE_SIZE = 4096;

/** When the files of a new server were scanned. */
export const STARTED = '2024-01-10T10:00:00Z';

/** The files on the disk, and the library that scans make of them. */
export class Library {
  /** Files that cannot be read: a scan logs and skips them. */
  broken: readonly string[] = [];

  /** The ids of the studios of items, instead of those that their details name; null for none. */
  readonly studioOf = new Map<Entry, string | null>();

  /** What users have changed of items, and when they played them. */
  readonly changes = new Map<Entry, Changes>();

  /** The ids of the scenes for which a transcode was generated, which the server plays instead of the file. */
  readonly transcodes = new Set<string>();

  /** The groups of scenes whose perceptual hashes are alike, by their ids. */
  duplicates: readonly (readonly string[])[] = [];

  /** The folders that scans have walked through. */
  readonly folders = new Set<string>(STASHES.map(({ path }) => path));

  /** The pictures of scenes and images that a test sets, by kind and id, such as `scene 6`; null for none. */
  readonly pictures = new Map<string, { type: string; content: Buffer } | null>();

  /** Emits the paths of each scan that begins, before it looks for files. */
  readonly scans = new Emitter<readonly string[]>();

  /** What is on the disk; a test may remove parts of it. */
  readonly disk = new Disk();

  readonly #files: Arrival[] = [...FILES, ...PICTURES].map((path) => ({
    path,
    title: path.replace(/^.*\/|\.\w+$/g, ''),
  }));
  #entries: Entry[] = [];
  readonly #lastIds: Record<Kind, number> = { scene: 0, image: 0, gallery: 0 };

  constructor() {
    for (const folder of ['/config', '/root', ...this.folders]) this.disk.addFolder(folder);
    for (const file of this.#files) this.add(file, STARTED);
  }

  /** Whether a scan of these paths, or one before it, walks through the folder of a file. */
  isFolderKnown(file: string, paths: readonly string[]): boolean {
    const folder = folderOf(file);
    return this.folders.has(folder) || paths.length === 0 || paths.some((path) => isBelow(folder, path));
  }

  /** Puts a file on the disk for the next scan that covers it. */
  arrive(file: Arrival): void {
    this.#files.push(file);
    this.disk.addFolder(isFolder(file.path) ? file.path : folderOf(file.path));
  }

  /** Removes a file, or a folder with all in it, from the disk. The library keeps its entries. */
  vanish(path: string): void {
    this.disk.vanish(path);
  }

  /** Removes all in a folder from the disk, like an unmounted drive, whose folder stays. */
  unmount(folder: string): void {
    this.disk.empty(folder);
  }

  /** Brings back what has vanished from this path or below it. */
  reappear(path: string): void {
    this.disk.reappear(path);
  }

  /** Returns the files that a scan of these paths finds; without paths, or with an empty list, all of them. */
  filesBelow(paths: readonly string[] | null | undefined): string[] {
    const all = [...new Set([...this.#files.map(({ path }) => path), ...this.broken])];
    const present = all.filter((file) => this.disk.has(file));
    return paths && paths.length > 0
      ? present.filter((file) => paths.some((path) => isBelow(file, path)))
      : present.filter((file) => !PICTURES.includes(file) || this.unknown(file));
  }

  /** Returns whether a scan can read this file or walk through this folder. */
  exists(path: string): boolean {
    return this.disk.isFolder(path) || this.filesBelow([path]).length > 0;
  }

  /** Returns when a file was last changed, in milliseconds since 1970. */
  modifiedAt(path: string): number {
    return Date.parse(this.#files.find((file) => file.path === path)?.modified ?? STARTED);
  }

  /** Returns the file if it is not in the library yet. */
  unknown(path: string): Arrival | undefined {
    const known = this.#entries.some((entry) => entry.path === path);
    return known ? undefined : this.#files.find((file) => file.path === path);
  }

  /** Adds a file to the library. */
  add({ path, title, details = {} }: Arrival, createdAt: string): Entry {
    const kind = kindOf(path);
    this.folders.add(folderOf(path));
    this.disk.addFolder(folderOf(path));
    // Ids only grow: those of removed items are not used again.
    const id = String(++this.#lastIds[kind]);
    const entry = { kind, id, title: title ?? null, path, createdAt, details };
    this.#entries.push(entry);
    return entry;
  }

  /** Removes an item from the library, but no file from the disk. */
  remove(entry: Entry): void {
    this.#entries = this.#entries.filter((each) => each !== entry);
  }

  /** Returns all items of a kind, in the order in which they were added. */
  all(kind: Kind): Entry[] {
    return this.#entries.filter((entry) => entry.kind === kind);
  }
}

/** Returns the paths of the files of an item, first the one that the server provides. */
export function pathsOf({ path, details: { copies = [] } }: Entry): readonly string[] {
  return [path, ...copies];
}

/** Returns the library folder that contains a path. */
export function stashOf(path: string) {
  return STASHES.find((stash) => isBelow(path, stash.path));
}

/** Returns the type of item that a path becomes; a path without an extension is a folder of pictures. */
export function kindOf(path: string): Kind {
  const [ending = ''] = /\.[^./]+$/.exec(path) ?? [];
  if (isFolder(path) || /^\.(zip|cbz)$/.test(ending)) return 'gallery';
  return /^\.(jpe?g|png|gif|webp)$/.test(ending) ? 'image' : 'scene';
}

/** Returns whether a path of the library is a folder of pictures: it has no extension. */
export function isFolder(path: string): boolean {
  return !/\.[^./]+$/.test(path);
}
