import type { Clock } from './clock';
import type { FinderState } from './finder';
import type { Changes, Entry } from './library';
import type { ServerLog } from './server-log';

interface Activity {
  id: string;
  resume_time?: number | null;
  playDuration?: number | null;
}

/** Returns the resolvers that play scenes. */
export function sceneResolvers(
  server: FinderState & { readonly clock: Clock; readonly serverLog: ServerLog },
) {
  const { quirks, clock, library, serverLog } = server;

  function sceneOf(id: string): Entry | undefined {
    if (server.status !== 'OK') throw new Error(quirks.noDatabase);
    return library.all('scene').find((entry) => entry.id === id);
  }

  function change(scene: Entry, changes: Changes): void {
    library.changes.set(scene, { ...library.changes.get(scene), ...changes });
  }

  /** Adds playbacks, now by default. @returns all of them, the latest first. */
  function addPlays(id: string, times: readonly string[] = [clock.second()]): readonly string[] {
    const scene = sceneOf(id);
    if (!scene) {
      const insert = `INSERT INTO \`scenes_view_dates\` (\`scene_id\`, \`view_date\`) VALUES (${id}, '${times[0] ?? ''}')`;
      throw new Error(
        quirks.keepsPlays
          ? `inserting into scenes_view_dates: executing \`${insert}\` [[]]: FOREIGN KEY constraint failed`
          : `id ${id} does not exist in scenes`,
      );
    }
    const plays = [...times, ...(library.changes.get(scene)?.plays ?? [])].sort().reverse();
    change(scene, { plays });
    return plays;
  }

  return {
    sceneAddPlay({ id, times }: { id: string; times?: readonly string[] | null }) {
      const history = addPlays(id, times && times.length > 0 ? times : undefined);
      return { count: history.length, history };
    },
    sceneSaveActivity({ id, resume_time, playDuration }: Activity) {
      const scene = sceneOf(id);
      if (!scene) throw new Error(`id ${id} does not exist in scenes`);
      const saved = {
        ...(typeof playDuration === 'number' && { '`play_duration`=play_duration + ?': playDuration }),
        ...(typeof resume_time === 'number' && { '`resume_time`=?': resume_time }),
      };
      const values = [...Object.values(saved), id].join(' ');
      const statement = `UPDATE \`scenes\` SET ${Object.keys(saved).join()} WHERE (\`scenes\`.\`id\` = ?)`;
      if (values !== id) serverLog.write('Trace', `SQL: ${statement} [[${values}]]`);
      const before = library.changes.get(scene)?.playDuration ?? 0;
      change(scene, {
        ...(typeof resume_time === 'number' && { resumeTime: resume_time }),
        playDuration: before + (playDuration ?? 0),
      });
      return true;
    },
    sceneIncrementPlayCount: ({ id }: { id: string }) => addPlays(id).length,
  };
}
