import { allKinds } from '../../src/contract/kinds';
import { anyOf, selection, showChoices, stash } from '../../src/editor';

stash.registerType('stash-changes', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-changes.svg',
  inputs: 0,
  outputs: 1,
  defaults: {
    kinds: selection([...allKinds], 'changes:invalid.kinds'),
    created: anyOf(['created', 'updated', 'removed'], true, 'changes:invalid.events'),
    updated: { value: true },
    removed: { value: false },
    fields: { value: [] },
    own: { value: false },
  },
  oneditprepare() {
    showChoices($('#node-input-kinds'));
    showChoices($('#node-input-fields'));
  },
});
