import type { PluginState } from './plugins';
import type { ServerLog } from './server-log';

/** The player of a page of Stash, which obeys as with the plugin `node-red`. */
export interface Player {
  readonly id: string;
  /** Such as "Firefox on Linux". */
  readonly name: string;
  readonly scene: string;
  state: 'playing' | 'paused';
  position: number;
}

interface Command {
  id: string;
  player: string | null;
  action: string;
  value: number | string | null;
}

/** The parts of the server that players use. */
export interface PlayerState extends PluginState {
  readonly serverLog: ServerLog;
  readonly players: readonly Player[];
}

let count = 0;

/** Lets the players obey the commands that were set just now. */
export function obey(server: PlayerState): void {
  const [before, now] = [server.pluginSettings.at(-2), server.pluginSettings.at(-1)].map(
    (settings) => JSON.parse(settings?.input.commands ?? '[]') as Command[],
  );
  // As in the plugin, what stood there before is for an earlier film.
  const fresh = now?.filter(({ id }) => !before?.some((one) => one.id === id));
  for (const command of fresh ?? []) {
    for (const player of server.players) {
      if (!command.player || command.player === player.id) act(server, player, command);
    }
  }
}

function act(server: PlayerState, player: Player, { id: command, action, value }: Command): void {
  if (action === 'pause' || action === 'stop') player.state = 'paused';
  else if (action === 'play') player.state = 'playing';
  else if (action === 'seek') player.position = Number(value);
  writeState(server, { ...player, seconds: 2, command });
}

/** Writes what a player tells, as the plugin does. */
export function writeState({ serverLog }: Pick<PlayerState, 'serverLog'>, player: object): void {
  count += 1;
  const line = JSON.stringify({ player: { count, ...player } });
  serverLog.write('Trace', `[Plugin / Node-RED] node-red-stash ${line}`);
}
