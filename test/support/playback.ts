import { timing } from '../../src/timing';
import type { FakeStash } from '../fake-stash/fake-stash';
import { type Player, writeState } from '../fake-stash/players';
import { sceneResolvers } from '../fake-stash/scenes';
import { installPlugin } from './changes';

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

/** Writes what the player of a page tells, as the plugin in Stash does. */
export function tell(stash: FakeStash, state: string, change: object = {}): void {
  const told = { id: 'a1', name: 'Firefox on Linux', scene: '1', state, position: 12, seconds: 2 };
  writeState(stash, { ...told, ...change });
}

/** Whether a playback node has noted what was watched before. @param before how many requests to leave out. */
export function hasPolled({ requests }: FakeStash, before = 0): boolean {
  const asked = requests.slice(before).map(({ body }) => String(body?.query));
  const lists = asked.filter((query) => query.includes('scenes { id play_duration'));
  // The first poll reads the list, and the next ones since v0.22 the total.
  return asked.some((query) => query.includes('total_play_duration')) || lists.length > 1;
}

/** Lets players obey at once that have to obey soon, as long as `task` runs. @param obey for how long the node waits for all of them. */
export async function obeyingSoon<Result>(
  stash: FakeStash,
  task: () => Promise<Result>,
  obey = 300,
): Promise<Result> {
  const usual = { ...timing.player };
  Object.assign(timing.player, { obey, check: 1 });
  stash.serverLog.every = 1;
  installPlugin(stash);
  try {
    return await task();
  } finally {
    Object.assign(timing.player, usual);
  }
}

/** Opens a page in Stash in which a film plays. */
export function openFilm(stash: FakeStash, change: Partial<Player> = {}): void {
  const player: Player = { id: 'a1', name: 'Firefox on Linux', scene: '1', state: 'playing', position: 12 };
  stash.players = [...stash.players, { ...player, ...change }];
}

/** Returns the commands that have been set, in order. */
export function commandsTo({ pluginSettings }: FakeStash): Record<string, unknown>[] {
  return pluginSettings.flatMap(
    ({ input }) => JSON.parse(input.commands ?? '[]') as Record<string, unknown>[],
  );
}
