import { isRecord, isString } from '../../guards';
import type { LogEntry } from '../../server';
import { type PluginEvent, eventsIn } from '../plugin';

/** The longest name of a player, in UTF-16 units. */
const LONGEST_NAME = 60;
/** More is no time of a film, and no number of what a page has told. */
const LARGEST = 1e9;

/** How many lines of a batch, which has those of a second, to take: whoever floods the log must not delay the saves of players. */
const MOST_LINES = 100;

/** A page of Stash that plays a scene. */
export interface Player {
  id: string;
  /** Such as "Firefox on Linux". */
  name: string;
}

/** What the player of a page has told through the plugin. */
export interface PageState {
  player: Player;
  /** The first that a player tells is 1. They arrive in another order than sent. */
  count: number;
  /** The ID of the scene. */
  scene: string;
  state: 'playing' | 'paused' | 'gone';
  /** Where it is, in seconds. */
  position: number;
  /** How long it has played, in seconds. */
  seconds: number;
  /** The ID of the command that it has obeyed; undefined if something else has happened. */
  command: string | undefined;
}

/** Returns what players have told in a batch of the server's log, each in the order in which it has told. */
export function pageStatesIn(lines: readonly LogEntry[], redact: (text: string) => string): PageState[] {
  return eventsIn(lines)
    .flatMap((event) => stateIn(event, redact) ?? [])
    .sort((one, other) => one.count - other.count)
    .slice(0, MOST_LINES);
}

/** Reads what a player tells; undefined unless it is whole. */
function stateIn({ player: sent }: PluginEvent, redact: (text: string) => string): PageState | undefined {
  if (!isRecord(sent)) return undefined;
  const { id, name, count, scene, state, position, seconds, command } = sent;
  if (!isString(id) || !/^\w{1,20}$/.test(id) || !isString(name)) return undefined;
  if (!isString(scene) || !/^[1-9]\d{0,14}$/.test(scene)) return undefined;
  if (state !== 'playing' && state !== 'paused' && state !== 'gone') return undefined;
  if (!isAmount(count) || !isAmount(position) || !isAmount(seconds)) return undefined;
  const player = { id, name: redact(name).slice(0, LONGEST_NAME) };
  return { player, count, scene, state, position, seconds, command: isString(command) ? command : undefined };
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LARGEST;
}
