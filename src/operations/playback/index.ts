export { followPlayback, type PlaybackEvent, type PlaybackNews } from './playbacks';
