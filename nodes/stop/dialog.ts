import { stash, TypedInput } from '../../src/editor';

const job = new TypedInput('job', {
  value: 'payload',
  type: 'msg',
  types: ['msg', 'flow', 'global', 'str', 'env', 'jsonata'],
  bare: { type: 'all', label: 'stop:everything.job' },
  item: /^"\d+"$/,
  invalid: 'stop:invalid.job',
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
  // Whatever triggers it, such as an inject node, sends a payload that is no job.
  fresh: () => ({ job: '', jobType: 'all' }),
  oneditprepare(server) {
    job.show(server);
  },
  labelSuffix() {
    const value = this['jobType'] === 'all' ? this._('everything.job') : job.shownIn(this);
    return value && `: ${value}`;
  },
});
