import assert from 'node:assert/strict';
import { job } from '../../../nodes/stop/inputs';
import type { ErrorCase } from '../../../src/errors';
import type { Config } from '../../../src/flow/inputs';
import type { JobReference } from '../../../src/records';

describe('A typed input for a job', () => {
  const property = job('job', { value: 'payload', type: 'msg' }, 'all');

  async function read(result: unknown, config: Config = {}): Promise<JobReference | null> {
    return await property.read(config, () => Promise.resolve(result));
  }

  const added = '2026-01-11T04:41:59.123456789+01:00';
  const good: [what: string, result: unknown, named: JobReference][] = [
    ['an id', '12', { id: '12' }],
    ['an id with blanks around it', ' 12\n', { id: '12' }],
    ['a number', 12, { id: '12' }],
    ['the payload of a node that has started a job', { id: '12', status: 'STARTED' }, { id: '12' }],
    [
      'a full job record',
      { id: '12', status: 'RUNNING', description: 'Scanning...', added, start: added, problems: [] },
      { id: '12', added },
    ],
    ['a job without an id', { id: null, status: 'STARTED' }, { id: null }],
  ];
  for (const [what, result, named] of good) {
    it(`accepts ${what}`, async () => {
      assert.deepEqual(await read(result), named);
    });
  }

  const wrong: [what: string, result: unknown, error: ErrorCase][] = [
    ['nothing', undefined, 'BAD_INPUT.empty'],
    ['null', null, 'BAD_INPUT.empty'],
    ['an empty text', '', 'BAD_INPUT.empty'],
    ['blanks', ' \t', 'BAD_INPUT.empty'],
    ['a record with an empty id', { id: '' }, 'BAD_INPUT.empty'],
    ['a name', 'scan', 'BAD_INPUT.notJob'],
    ['an object that is no job', { name: 'scan' }, 'BAD_INPUT.notJob'],
    ['a scene, whose id is that of no job', { id: '12', kind: 'scene' }, 'BAD_INPUT.notJob'],
    ['what a performer save sends', { id: '12', created: true, changed: [] }, 'BAD_INPUT.notJob'],
    ['a number with a fraction', 1.5, 'BAD_INPUT.notJob'],
    ['a negative number', -1, 'BAD_INPUT.notJob'],
    ['a list', ['12'], 'BAD_INPUT.notJob'],
    ['an id within an id', { id: { id: '12' } }, 'BAD_INPUT.notJob'],
    ['true', true, 'BAD_INPUT.notJob'],
  ];
  for (const [what, result, error] of wrong) {
    it(`of ${what} leads to BAD_INPUT, and never means all jobs`, async () => {
      await assert.rejects(read(result), { name: 'StashError', case: error });
    });
  }

  it('means all jobs only with the type "all"', async () => {
    assert.equal(await read(undefined, { job: '', jobType: 'all' }), null);
    await assert.rejects(read(undefined, { job: 'all', jobType: 'str' }), { case: 'BAD_INPUT.notEntered' });
  });
});
