import { timing } from '../../src/timing';
import type { FakeStash } from '../fake-stash/fake-stash';
import { sceneResolvers } from '../fake-stash/scenes';
import { until } from './waiting';

/** Polls often for what is watched, as long as `task` runs. */
export async function pollingOften<Result>(task: () => Promise<Result>): Promise<Result> {
  const usual = timing.playback;
  timing.playback = 20;
  try {
    return await task();
  } finally {
    timing.playback = usual;
  }
}

const now = performance.now.bind(performance);
let skipped = 0;

/** Lets time pass at once for whatever measures it by `performance.now()`, which never goes back. */
export function skip(milliseconds: number): void {
  skipped += milliseconds;
  performance.now = () => now() + skipped;
}

/** Saves that a scene was watched for ten seconds, as players do. */
export function watch(stash: FakeStash, id: string, position: number): void {
  sceneResolvers(stash).sceneSaveActivity({ id, resume_time: position, playDuration: 10 });
}

/** Resolves when a playback node has noted what was watched before. */
export async function untilPolled({ requests }: FakeStash): Promise<void> {
  const polls = () => requests.filter(({ body }) => body?.query?.includes('play_duration'));
  await until(() => polls().length > 0 && requests.some(({ body }) => isLater(body?.query)));
}

/** Whether a query is one of a later poll. */
function isLater(query = ''): boolean {
  return query.includes('total_play_duration');
}
