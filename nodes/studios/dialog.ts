import { selection, showChoices, showTrial, stash } from '../../src/editor';

stash.registerType('stash-studios', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-studios.svg',
  inputs: 1,
  outputs: 1,
  defaults: {
    fields: selection(['id', 'url', 'name', 'image_path', 'scene_count'], 'studios:invalid.fields'),
  },
  oneditprepare(server) {
    showChoices($('#node-input-fields'));
    showTrial(this, server, { unit: 'studios' });
  },
});
