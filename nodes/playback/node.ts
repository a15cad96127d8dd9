import { duration } from '../../src/contract/units';
import { checkboxes, choice, detail, type NodeRED, seconds, triggerNode } from '../../src/flow';
import { pictureFormats, shortTitle } from '../../src/operations/items';
import { followPlayback, type PlaybackEvent, type SceneEvent } from '../../src/operations/playback';
import type words from './words/en-US.json';

/** A player that buffers, or a poll that comes late, is silent for almost as long. In seconds. */
const LEAST_QUIET = 25;

type PlaybackNodeEvent = Exclude<PlaybackEvent, { type: 'failed' }>;

/** stash-playback: sends a message when somebody starts or stops watching a scene. */
export default (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-playback',
    triggerNode(RED, {
      inputs: {
        events: checkboxes(['started', 'progress', 'paused', 'stopped'], ['started', 'stopped']),
        quiet: seconds('quiet', 30, LEAST_QUIET),
        picture: choice('picture', pictureFormats),
      },
      follow: (server, emit, { input, delivered }) => ({
        end: followPlayback(server, { wanted: input, delivered }, emit),
      }),
      message: (event: PlaybackNodeEvent, { events }) =>
        event.type !== 'polled' && events.includes(choiceOf(event)) ? playbackMessage(event) : undefined,
      activityAfter: ({ watching }: PlaybackNodeEvent) => (watching > 0 ? watching : undefined),
      status: (count: number) => ({ fill: 'blue', status: 'watching', values: { count } }),
    }),
  );
};

/** Who wants to hear of a pause wants to hear of its end, too. */
function choiceOf({ type }: SceneEvent): Exclude<SceneEvent['type'], 'resumed'> {
  return type === 'resumed' ? 'paused' : type;
}

function playbackMessage({ type, scene, watching, operation, missing }: SceneEvent) {
  const { position, watched } = scene;
  return {
    topic: type,
    payload: scene,
    stash: { watching },
    operation,
    missing,
    outcome: type,
    values: { title: shortTitle(scene) },
    details:
      type === 'stopped'
        ? [detail('watched', { time: duration(watched) })]
        : [detail('position', { time: duration(position) })],
  } as const;
}
