import { randomUUID } from 'node:crypto';
import { KeyedLock, neverAborted, sleep, untilAborted } from '../../async';
import type { Call } from '../../call';
import { plugin } from '../../contract/plugin';
import { StashError } from '../../errors';
import { isRecord, parsed } from '../../guards';
import type { Server } from '../../server';
import { timing } from '../../timing';
import { checkPlugin } from '../plugin';
import { type PageState, type Player, pageStatesIn } from './pages';

export const playerActions = ['pause', 'play', 'seek', 'stop', 'message'] as const;
export type PlayerAction = (typeof playerActions)[number];

export interface CommandInput {
  action: PlayerAction;
  /** The seconds of `seek`, or the text of `message`. */
  value: number | string | null;
  /** The ID of the player; null: all of them. */
  player: string | null;
}

export interface ObeyingPlayer extends Player {
  /** The ID of the scene. */
  scene: string;
  /** Where it is, in seconds. */
  position: number;
}

export interface Commanded {
  /** The root field of the request. */
  operation: string;
  players: ObeyingPlayer[];
}

interface Command extends CommandInput {
  id: string;
}

/** The commands that stand in the plugin's settings, of all config nodes with an address. */
const standing = new Map<string, Map<string, Command>>();
/** For each address one after another: a write that overtakes another one would undo it. */
const writes = new KeyedLock<string>();

const OPERATION = 'configurePlugin';
/** How often to try to take a command out again. */
const ATTEMPTS = 5;

/**
 * Tells the players in Stash's pages to do something: puts a command into the plugin's settings, which each page with a film polls, and
 * takes it out again. A page answers through the log.
 * @throws {StashError} UNSUPPORTED without the plugin, or without the log; otherwise as a mutation.
 */
export async function commandPlayers(server: Server, input: CommandInput, call: Call): Promise<Commanded> {
  await checkPlugin(server, call);
  const id = randomUUID().slice(0, 8);
  const players = new Map<string, ObeyingPlayer>();
  let end = () => {};
  const hasObeyed = new Promise<void>((resolve) => (end = resolve));
  const unfollow = server.jobs.followLog((lines) => {
    for (const state of pageStatesIn(lines, (text) => server.redact(text))) {
      if (state.command !== id) continue;
      players.set(state.player.id, obeying(state));
      if (state.player.id === input.player) end();
    }
  });
  const commands = standing.get(server.url) ?? new Map<string, Command>();
  standing.set(server.url, commands);
  try {
    await untilHeard(server, call);
    commands.set(id, { id, ...input });
    await write(server, commands, call);
    await Promise.race([untilAborted(hasObeyed, call.waiting), sleep(timing.player.obey, call.waiting)]);
    return { operation: OPERATION, players: [...players.values()] };
  } finally {
    unfollow();
    if (commands.delete(id)) void clear(server, commands);
  }
}

function obeying({ player, scene, position }: PageState): ObeyingPlayer {
  return { ...player, scene, position };
}

/** Resolves when the log is heard. @throws {StashError} UNSUPPORTED after a while. */
async function untilHeard(server: Server, call: Call): Promise<void> {
  const limit = performance.now() + timing.player.log;
  while (server.jobs.logSince === undefined) {
    if (performance.now() > limit) throw new StashError('UNSUPPORTED.noLog');
    await sleep(timing.player.check, call.waiting);
  }
}

/** Takes a command out of the settings, also when its message has ended. What stands there is for no film that begins later. */
async function clear(server: Server, commands: ReadonlyMap<string, Command>): Promise<void> {
  const signal = neverAborted();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      await write(server, commands, { signal, waiting: signal });
      return;
    } catch {
      // The server may be away for a moment.
      await sleep(timing.player.retry, signal);
    }
  }
}

async function write(server: Server, commands: ReadonlyMap<string, Command>, call: Call): Promise<void> {
  const build = () => ({
    rootField: OPERATION,
    document: `mutation ($input: Map!) { ${OPERATION}(plugin_id: "${plugin.id}", input: $input) }`,
    // As text: Stash changes the names of nested settings.
    variables: { input: commands.size > 0 ? { commands: JSON.stringify([...commands.values()]) } : {} },
    read: parsed(isRecord, () => undefined),
  });
  await writes.run(server.url, call.signal, () => server.request({ kind: 'mutation', call, build }));
}
