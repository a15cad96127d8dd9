import { selection, showChoices, showTrial, stash } from '../../src/editor';

stash.registerType('stash-status', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-status.svg',
  inputs: 1,
  outputs: 1,
  defaults: {
    fields: selection(['status', 'version', 'jobs', 'stats'], 'status:invalid.fields'),
  },
  oneditprepare(server) {
    showChoices($('#node-input-fields'));
    showTrial(this, server);
  },
});
