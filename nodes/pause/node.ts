import { actionNode, detail, fixed, hours, type NodeRED } from '../../src/flow';
import { pause, type PauseState } from '../../src/operations/tasks';
import type words from './words/en-US.json';
import { paused } from './inputs';

/** stash-pause: lets no job of this Node-RED start while somebody watches, or for as long as anything else says. */
export default (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-pause',
    actionNode(RED, {
      inputs: {
        paused,
        interrupt: fixed(({ interrupt }) => interrupt !== false),
        atMost: hours('atMost', 12),
      },
      run: pause,
      follow: ({ jobs: { pause } }, { show }) => {
        if (pause.isOn) show('paused');
        return pause.subscribe((isOn) => {
          show(isOn ? 'paused' : 'resumed');
        });
      },
      reply: ({ operation, paused, interrupted, waiting, reason }, { paused: wanted }) => ({
        operation,
        payload: { paused, interrupted, waiting },
        ...(reason && { stash: { reason } }),
        outcome: outcomeOf(paused, wanted, reason),
        status: paused ? 'paused' : 'resumed',
        details: [
          ...(interrupted.length > 0 ? [detail('interrupted', { count: interrupted.length })] : []),
          ...(waiting > 0 ? [detail('waiting', { count: waiting })] : []),
        ],
      }),
    }),
  );
};

function outcomeOf(paused: boolean, wanted: boolean | 'none', reason: PauseState['reason']) {
  if (reason) return reason === 'BUTTON' ? 'endedByButton' : 'endedByLimit';
  if (!paused) return 'resumed';
  return wanted === true ? 'paused' : 'stays';
}
