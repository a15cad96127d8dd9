import { createHash } from 'node:crypto';
import type { Quirks } from './quirks';

/** A studio as the database holds it. */
export interface Studio {
  id: string;
  name: string;
  url: string | null;
  hasImage: boolean;
  sceneCount: number;
}

/** Where the library's files are. */
export const FOLDER = '/media/videos';

/** The videos of the made-up library when a server starts: so many steps has a scan. */
export const FILES: readonly string[] = [
  `${FOLDER}/Harbour Nine/Low Tide.mp4`,
  `${FOLDER}/Harbour Nine/Morning Ferry.mp4`,
  `${FOLDER}/Lanterna/Paper Moon.mp4`,
  `${FOLDER}/Quiet Hill/First Snow.mkv`,
  `${FOLDER}/Window Seat.mp4`,
];

/** A picture counts only where its folder is asked for: a scan of everything has one step for each video. */
const PICTURES: readonly string[] = ['/media/pictures/Harbour Nine/Poster.jpg'];

/** The folders of the library, as the configuration tells them. */
export const STASHES = [
  { path: FOLDER, excludeVideo: false, excludeImage: true },
  { path: '/media/pictures', excludeVideo: true, excludeImage: false },
];

/** By name, the order in which the real server gives them. */
export const STUDIOS: readonly Studio[] = [
  { id: '4', name: 'Blue Kettle', url: 'https://bluekettle.example', hasImage: true, sceneCount: 12 },
  { id: '1', name: 'Harbour Nine', url: 'https://harbournine.example', hasImage: true, sceneCount: 48 },
  { id: '2', name: 'Lanterna', url: 'https://lanterna.example/films', hasImage: true, sceneCount: 7 },
  { id: '6', name: 'Old Mill & Sons', url: null, hasImage: false, sceneCount: 0 },
  { id: '3', name: 'Quiet Hill', url: 'https://quiethill.example', hasImage: true, sceneCount: 23 },
  { id: '5', name: 'Señal Norte', url: 'https://senalnorte.example', hasImage: true, sceneCount: 3 },
];

/** A studio as the server tells of it; `origin` is the address by which the client came. */
export function describeStudio(studio: Studio, origin: string, { emptyUrl }: Quirks) {
  const { id, name, url, hasImage, sceneCount } = studio;
  return {
    id,
    name,
    url: url ?? (emptyUrl ? '' : null),
    urls: url === null ? [] : [url],
    // Releases up to v0.23 gave the MD5 of the name.
    checksum: createHash('md5').update(name).digest('hex'),
    // v0.26 and later give an address even where there is no image, and mark it.
    image_path: `${origin}/studio/${id}/image?t=1704880000${hasImage ? '' : '&default=true'}`,
    scene_count: sceneCount,
  };
}

/** What the server makes of a file. */
export type Kind = 'scene' | 'image' | 'gallery';

/** A scene, an image or a gallery as the database holds it. */
export interface Entry {
  readonly kind: Kind;
  readonly id: string;
  readonly title: string | null;
  readonly path: string;
  readonly createdAt: string;
}

/** A file that a test puts on the disk; without a title it has the one that its release gives it. */
export interface Arrival {
  path: string;
  title?: string;
}

// Since when the server has known what it knew when it started.
const STARTED = '2024-01-10T10:00:00Z';

/** What is on the disk, and what the server knows of it. */
export class Library {
  /** Files that cannot be read: a scan tells of them in the log, and makes nothing of them. */
  broken: readonly string[] = [];

  readonly #arrived: Arrival[] = [];
  readonly #entries: Entry[] = [];

  constructor() {
    for (const path of [...FILES, ...PICTURES]) {
      this.add({ path, title: path.replace(/^.*\/|\.\w+$/g, '') }, STARTED);
    }
  }

  /** Puts a file on the disk; the next scan that covers it finds it. */
  arrive(file: Arrival): void {
    this.#arrived.push(file);
  }

  /** The files that a scan of these paths finds; without paths, or with none in the list, all of them. */
  filesBelow(paths: readonly string[] | null | undefined): string[] {
    const come = [...this.#arrived.map(({ path }) => path), ...this.broken];
    if (!paths || paths.length === 0) return [...new Set([...FILES, ...come])];
    return [...new Set([...FILES, ...PICTURES, ...come])].filter((file) =>
      paths.some((path) => isBelow(file, path)),
    );
  }

  /** The file, if the server does not know it yet. */
  unknown(path: string): Arrival | undefined {
    const known = this.#entries.some((entry) => entry.path === path);
    return known ? undefined : this.#arrived.find((file) => file.path === path);
  }

  /** Takes a file into the database. */
  add({ path, title }: Arrival, createdAt: string): void {
    const kind = kindOf(path);
    const id = String(this.all(kind).length + 1);
    this.#entries.push({ kind, id, title: title ?? null, path, createdAt });
  }

  /** Everything of a kind that the server knows, in the order in which it came. */
  all(kind: Kind): Entry[] {
    return this.#entries.filter((entry) => entry.kind === kind);
  }
}

/** The folder of the library in which a path lies. */
export function stashOf(path: string) {
  return STASHES.find((stash) => isBelow(path, stash.path));
}

/** What the server makes of a file; one without an ending is a folder of pictures. */
export function kindOf(path: string): Kind {
  const [ending = ''] = /\.[^./]+$/.exec(path) ?? [];
  if (/^(\.(zip|cbz))?$/.test(ending)) return 'gallery';
  return /^\.(jpe?g|png|gif|webp)$/.test(ending) ? 'image' : 'scene';
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
