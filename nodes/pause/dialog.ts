import { minutes, stash, TypedInput } from '../../src/editor';

const paused = new TypedInput('paused', {
  type: 'watching',
  types: ['msg', 'flow', 'global', 'jsonata', 'bool'],
  bare: { type: 'watching', label: 'pause:watching' },
  item: () => true,
});

stash.registerType('stash-pause', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-pause.svg',
  inputs: 1,
  outputs: 1,
  defaults: {
    paused: paused.value,
    pausedType: paused.type,
    interrupt: { value: true },
    atMost: minutes('12', 'pause:invalid.atMost'),
  },
  oneditprepare(server) {
    paused.show(server);
  },
});
