import type { Entry, Library } from './library';
import type { Quirks } from './quirks';

interface CountCriterion {
  value: number;
  modifier: string;
}

/** Criteria that depend on what users have changed. */
export interface SceneCriteria {
  organized?: boolean | null;
  is_missing?: string | null;
  play_count?: CountCriterion | null;
  play_duration?: CountCriterion | null;
}

/** Returns the fields of a scene that users change. */
export function describeScene(scene: Entry, library: Library, { ratesTo100 }: Quirks) {
  const changes = library.changes.get(scene) ?? {};
  const { rating = null, organized = false, plays = [], resumeTime = 0, playDuration = 0 } = changes;
  return {
    rating: rating !== null && ratesTo100 ? Math.min(Math.max(Math.round(rating / 20), 1), 5) : rating,
    rating100: rating,
    organized,
    play_count: plays.length,
    last_played_at: plays[0] ?? null,
    play_history: plays,
    resume_time: resumeTime,
    play_duration: playDuration,
  };
}

/** Returns when a scene was last played; an empty text if never. */
export function playedAt(scene: Entry, library: Library): string {
  return library.changes.get(scene)?.plays?.[0] ?? '';
}

/** Returns whether an item meets the criteria. Only scenes are organized, and have a studio or a rating. */
export function fitsScene(entry: Entry, criteria: SceneCriteria, library: Library): boolean {
  const { organized: wanted, is_missing: missing, play_count: count, play_duration: watched } = criteria;
  const { organized = false, plays = [], playDuration = 0 } = library.changes.get(entry) ?? {};
  if (typeof wanted === 'boolean' && organized !== wanted) return false;
  if (missing && !isMissing(entry, missing, library)) return false;
  return (!count || fitsCount(plays.length, count)) && (!watched || fitsCount(playDuration, watched));
}

function isMissing(scene: Entry, name: string, library: Library): boolean {
  switch (name) {
    case 'studio':
      return !library.studioOf.has(scene);
    case 'rating':
      return (library.changes.get(scene)?.rating ?? null) === null;
    case 'title':
      return !scene.title;
    case 'performers':
    case 'tags':
      return true; // no scene in the library has any
    default:
      throw new Error(`no such column: scenes.${name}`);
  }
}

function fitsCount(count: number, { value, modifier }: CountCriterion): boolean {
  if (modifier === 'GREATER_THAN') return count > value;
  if (modifier === 'NOT_EQUALS') return count !== value;
  throw new Error(`the fake server cannot compare a count with ${modifier}`);
}
