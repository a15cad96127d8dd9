import assert from 'node:assert/strict';
import { performerToSave } from '../../../nodes/performer-save/inputs';
import type { ErrorCase } from '../../../src/errors';
import type { PerformerToSave } from '../../../src/operations/performers/save';

describe('A typed input for a performer to save', () => {
  const property = performerToSave('performer', { value: 'payload', type: 'msg' });
  const read = (result: unknown) => property.read({}, () => Promise.resolve(result));

  const good: [what: string, result: unknown, performer: PerformerToSave][] = [
    ['a name', ' Robin Vale\n', { name: 'Robin Vale' }],
    ['a list of one name', ['Robin Vale '], { name: 'Robin Vale' }],
    [
      'fields with null and empty texts, which are unknown',
      { name: 'R', url: null, country: ' ', tattoos: '' },
      { name: 'R' },
    ],
    ['an id without a name', { id: 12, country: 'CA' }, { id: '12', country: 'CA' }],
    ['a performer as find describes it', { id: '3', kind: 'performer', name: 'R' }, { id: '3', name: 'R' }],
    ['a performer of a site', { __typename: 'ScrapedPerformer', name: 'R' }, { name: 'R' }],
    ['numbers', { name: 'R', height: 172, weight: 55.5 }, { name: 'R', height: '172', weight: '55.5' }],
    [
      'the height of later releases',
      { name: 'R', height: null, height_cm: 172 },
      { name: 'R', height: '172' },
    ],
    ['aliases as one text', { name: 'R', aliases: 'A, B;C' }, { name: 'R', aliases: ['A', 'B', 'C'] }],
    [
      'aliases as lists, where a comma is part of an alias',
      { name: 'R', aliases: ['A'], alias_list: [' Vale, Robin ', ''] },
      { name: 'R', aliases: ['A', 'Vale, Robin'] },
    ],
    [
      'one address for a list',
      { name: 'R', urls: 'https://a.example' },
      { name: 'R', urls: ['https://a.example'] },
    ],
    [
      'a candidate without its score',
      [{ id: '3', name: 'R', country: 'CA', score: 0.95, reason: 'alias', image: {}, tags: [{ name: 'x' }] }],
      { id: '3', name: 'R', country: 'CA' },
    ],
  ];
  for (const [what, result, performer] of good) {
    it(`accepts ${what}`, async () => {
      assert.deepEqual(await read(result), performer);
    });
  }

  it('takes the first thousand aliases and addresses', async () => {
    const many = Array.from({ length: 300_000 }, (_, index) => `a${index}`);
    const performer = await read({ name: 'R', aliases: many.join(','), urls: many });
    assert.deepEqual([performer.aliases?.length, performer.urls?.length], [1000, 1000]);
  });

  it('reads a picture in time, whatever it is', async () => {
    // Code whose time grows with the square of the length would not end within the time limit of a test.
    const picture = `data:image/png;base64,${'='.repeat(1_000_000)}x`;
    assert.equal((await read({ name: 'R', picture })).picture, picture);
  });

  const wrong: [what: string, result: unknown, error: ErrorCase, name?: string][] = [
    ['nothing', undefined, 'BAD_INPUT.empty'],
    ['an empty list', [], 'BAD_INPUT.empty'],
    ['invisible characters', '\u200b', 'BAD_INPUT.empty'],
    ['two performers', ['A', 'B'], 'BAD_INPUT.tooMany'],
    ['a number', 12, 'BAD_INPUT.notPerformer'],
    [
      'a tag, whose id is that of another performer',
      { id: '3', kind: 'tag', name: 'R' },
      'BAD_INPUT.otherKind',
    ],
    ['a studio as a query returns it', { id: '3', __typename: 'Studio', name: 'R' }, 'BAD_INPUT.otherKind'],
    ['a performer without name and id', { country: 'CA' }, 'BAD_INPUT.notPerformer'],
    ['an object as a height', { name: 'R', height: {} }, 'BAD_INPUT.notPerformerField', 'height'],
    ['infinity', { name: 'R', weight: Infinity }, 'BAD_INPUT.notPerformerField', 'weight'],
    ['an id that is no number', { name: 'R', id: 'abc' }, 'BAD_INPUT.notPerformerField', 'id'],
    ['a list of numbers as aliases', { name: 'R', aliases: [1] }, 'BAD_INPUT.notPerformerField', 'aliases'],
    ['an object as urls', { name: 'R', urls: {} }, 'BAD_INPUT.notPerformerField', 'urls'],
  ];
  for (const [what, result, error, name] of wrong) {
    it(`refuses ${what}`, async () => {
      const details = { property: 'performer', source: 'msg.payload', ...(name !== undefined && { name }) };
      await assert.rejects(read(result), (thrown: { case: string; details: object }) => {
        assert.equal(thrown.case, error);
        if (name !== undefined) assert.deepEqual(thrown.details, details);
        return true;
      });
    });
  }
});
