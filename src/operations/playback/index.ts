export { playbackRequirements } from './activity-poller';
export { followPlayback, type SceneEvent, type PlaybackEvent } from './playbacks';
