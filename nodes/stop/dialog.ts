import { onAddedByHand, stash, TypedInput } from '../../src/editor';

const job = new TypedInput('job', {
  value: 'payload',
  type: 'msg',
  types: ['msg', 'flow', 'global', 'str', 'env', 'jsonata'],
  bare: { type: 'all', label: 'stop:everything.job' },
  item: /^"\d+"$/,
  invalid: 'stop:invalid.job',
});

// Whatever triggers it, such as an inject node, sends a payload that is no job.
onAddedByHand((node) => {
  if (node.type === 'stash-stop') Object.assign(node, { job: '', jobType: 'all' });
});

stash.registerType('stash-stop', {
  category: 'stash',
  color: '#E8A34A',
  icon: 'stash-stop.svg',
  inputs: 1,
  outputs: 1,
  defaults: {
    job: job.value,
    jobType: job.type,
  },
  oneditprepare(server) {
    job.show(server);
  },
  labelSuffix() {
    const value = this['jobType'] === 'all' ? this._('everything.job') : job.shownIn(this);
    return value && `: ${value}`;
  },
});
