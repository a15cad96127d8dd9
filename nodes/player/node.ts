import { actionNode, firstNames, type NodeRED } from '../../src/flow';
import { commandPlayers } from '../../src/operations/playback';
import type words from './words/en-US.json';
import { action, player, value } from './inputs';

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
        const values = {
          count,
          players: firstNames(
            players.map(({ name }) => name),
            text('what.separator'),
            (first) => text('what.more', first),
          ),
        };
        return { ...about, outcome: action, status: 'obeyed', values };
      },
    }),
  );
};
