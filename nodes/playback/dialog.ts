import { anyOf, number, stash } from '../../src/editor';

stash.registerType('stash-playback', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-playback.svg',
  inputs: 0,
  outputs: 1,
  defaults: {
    started: anyOf(['started', 'progress', 'paused', 'stopped'], true, 'playback:invalid.events'),
    progress: { value: false },
    paused: { value: false },
    stopped: { value: true },
    quiet: number('30', 'playback:invalid.quiet', 25),
    picture: { value: 'none' },
  },
});
