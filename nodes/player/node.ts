import { actionNode, type FindText, type NodeRED } from '../../src/flow';
import { commandPlayers } from '../../src/operations/playback';
import type words from './words/en-US.json';
import { action, player, value } from './inputs';

/** How many players the sentence names. */
const MOST_NAMES = 3;

/** stash-player: lets the players in Stash's pages pause, play, seek, stop, or show a message. */
export default (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-player',
    actionNode(RED, {
      inputs: { action, value, player },
      run: commandPlayers,
      reply: ({ operation, players }, { action }, text) => {
        const { length: count } = players;
        const about = { operation, payload: { players } };
        if (count === 0) return { ...about, outcome: 'none', stash: { reason: 'NO_PLAYER' }, isBad: true };
        const values = { count, players: namesOf(text, players) };
        return { ...about, outcome: action, status: 'obeyed', values };
      },
    }),
  );
};

function namesOf(text: FindText<typeof words>, players: readonly { name: string }[]): string {
  const names = players.slice(0, MOST_NAMES).map(({ name }) => name);
  const count = players.length - MOST_NAMES;
  const listed = names.join(text('what.separator'));
  return count > 0 ? text('what.more', { names: listed, count }) : listed;
}
