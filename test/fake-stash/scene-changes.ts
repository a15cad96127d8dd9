import type { Entry, Library } from './library';
import type { Quirks } from './quirks';

/** Returns the fields of an item that users change. */
export function describeChanges(entry: Entry, library: Library, { ratesTo100 }: Quirks) {
  const changes = library.changes.get(entry) ?? {};
  const { rating = null, organized = false, plays = [], resumeTime = 0, playDuration = 0 } = changes;
  const { oCounter = 0, urls = [], texts } = changes;
  return {
    rating: rating !== null && ratesTo100 ? Math.min(Math.max(Math.round(rating / 20), 1), 5) : rating,
    rating100: rating,
    organized,
    play_count: plays.length,
    last_played_at: plays[0] ?? null,
    play_history: plays,
    resume_time: resumeTime,
    play_duration: playDuration,
    o_counter: oCounter,
    urls,
    url: urls[0] ?? null,
    ...texts,
  };
}
