import { anyOf, showTrial, stash } from '../../src/editor';

stash.registerType('stash-new', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-new.svg',
  inputs: 0,
  outputs: 1,
  defaults: {
    scenes: anyOf(['scenes', 'images', 'galleries'], true, 'new:invalid.kinds'),
    images: { value: false },
    galleries: { value: false },
    each: { value: true },
    picture: { value: 'none' },
  },
  oneditprepare(server) {
    showTrial(this, server, { unit: 'newest' });
  },
});
