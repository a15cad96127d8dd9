import type { Library, Studio } from './library';
import type { Quirks } from './quirks';

/** The parts of the server that the resolver of `stats` uses. */
export interface StatisticsState {
  readonly quirks: Quirks;
  readonly status: 'SETUP' | 'NEEDS_MIGRATION' | 'OK';
  readonly library: Library;
  readonly studios: readonly Studio[];
}

/** The size and the duration of each made-up file, in bytes and seconds. */
export const SCENE = { bytes: 1_250_000_000, seconds: 1812.44 };
const IMAGE_BYTES = 2_400_000;

/** Returns the resolver of `stats`: the items in the library, and made-up values of what it does not have. */
export function statisticsOf({ quirks, status, library, studios }: StatisticsState) {
  if (status !== 'OK') throw new Error(quirks.noDatabase);
  const scenes = library.all('scene').length;
  const images = library.all('image').length;
  const groups = 4;
  const changes = [...library.changes.values()];
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    scene_count: scenes,
    scenes_size: scenes * SCENE.bytes,
    scenes_duration: scenes * SCENE.seconds,
    image_count: images,
    images_size: images * IMAGE_BYTES,
    gallery_count: library.all('gallery').length,
    performer_count: 12,
    studio_count: studios.length,
    group_count: groups,
    movie_count: groups,
    tag_count: 31,
    total_o_count: 2 + sum(changes.map(({ oCounter = 0 }) => oCounter)),
    total_play_duration: sum(changes.map(({ playDuration = 0 }) => playDuration)),
    total_play_count: 9 + sum(changes.map(({ plays = [] }) => plays.length)),
    scenes_played: 3,
  };
}
