export { playbackRequirements } from './activity-poller';
export { followPlayback, type PlaybackEvent, type PlaybackNews } from './playbacks';
