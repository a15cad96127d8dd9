import { performerPicker, showTrial, sourceInput, stash, TypedInput } from '../../src/editor';

const query = new TypedInput('query', {
  value: 'payload',
  type: 'msg',
  pickers: [performerPicker()],
  types: ['msg', 'flow', 'global', 'str', 'env', 'jsonata'],
  item: /./,
  invalid: 'performer-search:invalid.query',
});
const source = sourceInput(() => true);

stash.registerType('stash-performer-search', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-performer-search.svg',
  inputs: 1,
  outputs: 1,
  defaults: {
    query: query.value,
    queryType: query.type,
    source: source.value,
    sourceType: source.type,
    split: { value: false },
  },
  oneditprepare(server) {
    query.show(server);
    source.show(server);
    showTrial(this, server, { unit: 'matches' });
  },
  labelSuffix() {
    const value = query.shownIn(this);
    return value && `: ${value}`;
  },
});
