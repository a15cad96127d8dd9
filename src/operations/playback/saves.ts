import type { LogEntry } from '../../server';

/** What a player has saved. */
export interface Save {
  /** The ID of the scene. */
  id: string;
  /** How long it was watched since the player's last save, in seconds. */
  seconds: number;
  /** Where the player is, in seconds; undefined if it does not save that. */
  position: number | undefined;
  /** Whether it was watched earlier: of a film on DLNA, Stash saves minutes after its end. */
  isLater: boolean;
}

/**
 * The statement of `sceneSaveActivity`, in all releases that have it (v0.18.0 to v0.30.1, and the head of 2026-01-11). An import, a merge,
 * an edit and a reset set the duration; only DLNA adds to it in the same way. Its values are numbers, so no title looks like it.
 */
const STATEMENT =
  /^SQL: UPDATE `scenes` SET (`play_duration`=play_duration \+ \?)?,?(`resume_time`=\?)? WHERE \(`scenes`\.`id` = \?\) \[\[([-+.\de ]+)\]\]$/;

/** What Stash logs just before it saves what was played on DLNA, since v0.31 (head of 2026-01-11), with the ID of the scene. */
const DLNA = /^\[DLNA Activity\] Session completed: scene=(\d+),/;

/** Returns what players have saved, by a batch of the server's log, in which lines are in no exact order. */
export function savesIn(lines: readonly LogEntry[]): Save[] {
  const ended = new Set(
    lines.flatMap(({ level, message }) => (level === 'Debug' ? (DLNA.exec(message)?.[1] ?? []) : [])),
  );
  return lines
    .flatMap(({ time, level, message }) => {
      const save = level === 'Trace' ? saveIn(message) : undefined;
      return save ? [{ time: Date.parse(time), save: { ...save, isLater: ended.has(save.id) } }] : [];
    })
    .sort((one, other) => one.time - other.time)
    .map(({ save }) => save);
}

function saveIn(message: string): Omit<Save, 'isLater'> | undefined {
  // Most of the many lines end here.
  if (!message.startsWith('SQL: UPDATE `scenes` SET ')) return undefined;
  const [, duration, resume, values = ''] = STATEMENT.exec(message) ?? [];
  const numbers = values.split(' ').map(Number);
  const set = [duration, resume].filter((name) => name !== undefined);
  if (numbers.length !== set.length + 1 || !numbers.every(Number.isFinite)) return undefined;
  const id = numbers.pop();
  const seconds = duration === undefined ? 0 : (numbers.shift() ?? 0);
  const position = resume === undefined ? undefined : numbers.shift();
  // A reset of the position is the same statement with 0.
  const isWatched = seconds > 0 || (position ?? 0) > 0;
  return isWatched ? { id: String(id), seconds, position } : undefined;
}
