import { createHash } from 'node:crypto';
import type { Habits } from './releases';

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

/** Every file of the made-up library: so many steps has a scan. */
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
export function describeStudio(studio: Studio, origin: string, { emptyUrl }: Habits) {
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

/** The files that a scan of these paths finds; without paths, or with none in the list, all of them. */
export function filesBelow(paths: readonly string[] | null | undefined): string[] {
  if (!paths || paths.length === 0) return [...FILES];
  return [...FILES, ...PICTURES].filter((file) =>
    paths.some((path) => file === path || file.startsWith(`${path}/`)),
  );
}
