import { isFilled } from '../../src/contract/values';
import { showTrial, stash, TypedInput } from '../../src/editor';

const performer = new TypedInput('performer', {
  value: 'payload',
  type: 'msg',
  item: isPerformer,
  isSingle: true,
  invalid: 'performer-save:invalid.performer',
});

/** Whether a value as JSON is a name, or has a name or an ID. */
function isPerformer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isFilled(value);
  return ('name' in value && isFilled(value.name)) || ('id' in value && isFilled(String(value.id)));
}

stash.registerType('stash-performer-save', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-performer-save.svg',
  inputs: 1,
  outputs: 2,
  defaults: {
    performer: performer.value,
    performerType: performer.type,
    existing: { value: 'fill' },
  },
  oneditprepare(server) {
    performer.show(server);
    showTrial(this, server, { unit: 'matches', first: { performer: '{"name": ""}' } });
  },
  labelSuffix() {
    const value = performer.shownIn(this);
    return value && `: ${value}`;
  },
});
