export { playbackRequirements } from './activity';
export { followPlayback, type SceneEvent, type PlaybackEvent } from './playbacks';
export { type CommandInput, commandPlayers, type PlayerAction, playerActions } from './command';
