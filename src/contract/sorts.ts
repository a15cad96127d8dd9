import type { Kind } from './kinds';

/** The orders of Stash's pages that all releases have, and of those that came later the ones of playing. */
export const sorts = {
  scene: [
    ...['random', 'date', 'created_at', 'updated_at', 'title', 'path', 'rating', 'duration', 'filesize'],
    ...['o_counter', 'play_count', 'last_played_at'],
  ],
  image: ['random', 'created_at', 'updated_at', 'title', 'path', 'rating', 'filesize', 'o_counter'],
  gallery: ['random', 'date', 'created_at', 'updated_at', 'title', 'path', 'rating', 'images_count'],
  performer: ['random', 'name', 'birthdate', 'created_at', 'updated_at', 'rating', 'scenes_count'],
  studio: ['random', 'name', 'created_at', 'updated_at', 'rating', 'scenes_count'],
  tag: ['random', 'name', 'created_at', 'updated_at', 'scenes_count'],
  marker: ['random', 'title', 'seconds', 'created_at', 'updated_at', 'scene_id'],
  group: ['random', 'name', 'date', 'created_at', 'updated_at', 'rating', 'duration', 'scenes_count'],
} as const satisfies Readonly<Record<Kind, readonly string[]>>;

export type Sort = (typeof sorts)[Kind][number];
