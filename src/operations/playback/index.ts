export { playbackRequirements } from './activity';
export { followPlayback, type SceneEvent, type PlaybackEvent } from './playbacks';
