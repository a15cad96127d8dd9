import type { Clock } from './clock';
import type { FinderState } from './finder';
import { describeEntry } from './items';
import type { Entry, SceneChanges } from './library';

interface Activity {
  id: string;
  resume_time?: number | null;
  playDuration?: number | null;
}

interface SceneUpdateInput {
  id: string;
  rating?: number | null;
  rating100?: number | null;
  organized?: boolean | null;
}

/** What can be changed here, of all that a server can change. */
const CHANGEABLE = ['id', 'rating', 'rating100', 'organized'];

/** Returns the resolvers that change scenes. */
export function sceneResolvers(server: FinderState & { readonly clock: Clock }) {
  const { quirks, clock, library } = server;

  function sceneOf(id: string): Entry | undefined {
    if (server.status !== 'OK') throw new Error(quirks.noDatabase);
    return library.all('scene').find((entry) => entry.id === id);
  }

  function change(scene: Entry, changes: SceneChanges): void {
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
    sceneUpdate({ input }: { input: SceneUpdateInput }) {
      const { id, rating, rating100, organized } = input;
      const other = Object.keys(input).find((name) => !CHANGEABLE.includes(name));
      if (other !== undefined) throw new Error(`the fake server cannot change ${other}`);
      const scene = sceneOf(id);
      if (!scene) throw new Error(quirks.updatesUnknown.replace('#', id));
      if (typeof rating === 'number' && quirks.ratesTo100) {
        change(scene, { rating: Math.min(Math.max(rating * 20, 1), 100) });
      } else {
        const given = quirks.ratesTo100 ? rating100 : rating;
        if (given !== undefined) change(scene, { rating: given });
      }
      if (typeof organized === 'boolean') change(scene, { organized });
      return describeEntry(scene, server);
    },
    sceneAddPlay({ id, times }: { id: string; times?: readonly string[] | null }) {
      const history = addPlays(id, times && times.length > 0 ? times : undefined);
      return { count: history.length, history };
    },
    sceneSaveActivity({ id, resume_time, playDuration }: Activity) {
      const scene = sceneOf(id);
      if (!scene) throw new Error(`id ${id} does not exist in scenes`);
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
