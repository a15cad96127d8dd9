import { isFilled, isVariable } from '../src/contract/values';
import { listOf, stash, TypedInput } from '../src/editor';

const performer = new TypedInput('performer', {
  value: 'payload',
  type: 'msg',
  invalid: 'performer-save:invalid.performer',
  check(value, node, options): boolean | string {
    if (value === undefined) return true;
    if (!isFilled(value)) return false;
    const valid = RED.validators.typedInput({ type: performer.typeIn(node) }).call(node, value, options);
    if (valid !== true || performer.typeIn(node) !== 'json' || isVariable(value)) return valid;
    const [one, ...others] = listOf(value);
    return others.length === 0 && isPerformer(one);
  },
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
  },
  labelSuffix() {
    const value = performer.shownIn(this);
    return value && `: ${value}`;
  },
});
