import assert from 'node:assert/strict';
import { differences, withAdditions } from './frozen';
import { fitsShape, shapeOf } from './shape';

const frozen = { scan: { properties: { paths: '', collect: '0' }, types: ['msg', 'str'] } };
const kept = { properties: { paths: '', collect: '0' }, types: new Set(['msg', 'str']) };

describe('A comparison with what was frozen', () => {
  const rule = 'it stays';
  const compare = (scan: object) => differences(frozen, { scan }, { rule });

  it('finds nothing where nothing has changed', () => {
    assert.deepEqual(compare(kept), { broken: [], added: [] });
  });

  it('names what is gone', () => {
    const { broken } = compare({ properties: { paths: '' }, types: new Set(['str']) });
    assert.deepEqual(broken, ['scan › properties › collect is gone.', 'scan › types › msg is gone.']);
    assert.deepEqual(differences(frozen, {}, { rule }).broken, ['scan is gone.']);
  });

  it('names both values of what has changed', () => {
    const { broken } = compare({ ...kept, properties: { paths: '', collect: '5' } });
    assert.deepEqual(broken, ['scan › properties › collect was "0", and is "5" now.']);
  });

  it('tells a new name from an old one', () => {
    const { broken, added } = compare({ ...kept, properties: { paths: '', gather: '0' } });
    assert.deepEqual(broken, ['scan › properties › collect is gone.']);
    assert.deepEqual(added, ['scan › properties › gather is new.']);
  });

  it('adds what is new, and keeps what is gone or has changed', () => {
    const properties = { paths: 'other', settle: '0' };
    const types = new Set(['json', 'str']);
    assert.deepEqual(withAdditions(frozen, { scan: { properties, types }, stop: {} }), {
      scan: { properties: { paths: '', collect: '0', settle: '0' }, types: ['msg', 'str', 'json'] },
      stop: {},
    });
  });
});

describe('The shape of messages', () => {
  it('has a type for each place, and says what is null or absent in some', () => {
    const messages = [
      { topic: 'ended', payload: { end: null, problems: [{ time: 'now' }] } },
      { topic: 'ended', payload: { end: 'now', problems: [], seconds: 2 } },
    ];
    assert.deepEqual(shapeOf(messages), {
      topic: '"ended"',
      'payload.end': 'null | string',
      'payload.problems': 'array',
      'payload.problems[].time': 'string',
      'payload.seconds': 'absent | number',
    });
  });

  it('may become narrower where flows cannot tell, and not wider', () => {
    for (const [before, after, fits] of [
      ['number', 'number', true],
      ['absent | number', 'number', true],
      ['null | number', 'number', true],
      ['number', 'null | number', false],
      ['number', 'absent | number', false],
      ['null | number', 'null', false],
      ['number', 'string', false],
      ['"ended" | "started"', '"ended"', false],
    ] as const) {
      assert.equal(fitsShape(before, after), fits, `${before}, then ${after}`);
    }
  });
});
