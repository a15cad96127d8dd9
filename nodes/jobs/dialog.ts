import { anyOf, stash } from '../../src/editor';

stash.registerType('stash-jobs', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-jobs.svg',
  inputs: 0,
  outputs: 1,
  defaults: {
    started: anyOf(['started', 'progress', 'ended', 'reach'], true, 'jobs:invalid.events'),
    progress: { value: false },
    ended: { value: true },
    reach: { value: false },
  },
});
