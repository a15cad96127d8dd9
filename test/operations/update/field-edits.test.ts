import assert from 'node:assert/strict';
import { StashError } from '../../../src/errors';
import { type Change, readFieldEdits } from '../../../src/operations/update/field-edits';

describe('The changes of an update', () => {
  const refusal = (...changes: Change[]) => {
    try {
      readFieldEdits(changes);
    } catch (error) {
      if (error instanceof StashError) return [error.case, error.details];
      throw error;
    }
    return 'none';
  };

  it('are one edit for each field, with each value once', () => {
    const fieldEdits = readFieldEdits([
      { field: 'urls', action: 'add', value: ['a', ' b '] },
      { field: 'playCount', action: 'add', value: '2' },
      { field: 'urls', action: 'remove', value: 7 },
      { field: 'urls', action: 'add', value: 'b' },
      { field: 'title', action: 'clear', value: 'ignored' },
      { field: 'tags', action: 'clear' },
    ]);
    const none = { add: [], remove: [], count: 0 };
    assert.deepEqual(fieldEdits, [
      { ...none, field: 'urls', add: ['a', 'b'], remove: ['7'] },
      { ...none, field: 'playCount', count: 2 },
      { ...none, field: 'title', set: null },
      { ...none, field: 'tags', set: [] },
    ]);
  });

  const set = (field: Change['field'], value: unknown): Change => ({ field, action: 'set', value });
  const wrong: [what: string, change: Change, expected: unknown][] = [
    ['a rating above 100', set('rating', 101), ['BAD_INPUT.notRating', { value: '101' }]],
    ['a rating that is no whole number', set('rating', '4.5'), ['BAD_INPUT.notRating', { value: '4.5' }]],
    ['a rating that is no number', set('rating', { a: 1 }), ['BAD_INPUT.notRating', { value: '{"a":1}' }]],
    ['no rating', set('rating', undefined), ['BAD_INPUT.notRating', { value: 'undefined' }]],
    ['an empty text', set('title', ' '), ['BAD_INPUT.wrongType', { name: 'title', type: 'String' }]],
    ['an empty address', set('urls', ['a', '']), ['BAD_INPUT.wrongType', { name: 'urls', type: 'String' }]],
    ['a text as a tag', set('tags', ['a']), ['BAD_INPUT.wrongType', { name: 'tags', type: 'String' }]],
    [
      'a number as a boolean',
      set('organized', 1),
      ['BAD_INPUT.wrongType', { name: 'organized', type: 'Boolean' }],
    ],
    ['a count of 0', { field: 'oCounter', action: 'add', value: 0 }, ['BAD_INPUT.notCount', { value: '0' }]],
    [
      'a count above 100',
      { field: 'playCount', action: 'add', value: '101' },
      ['BAD_INPUT.notCount', { value: '101' }],
    ],
    [
      'an action that the field lacks',
      { field: 'organized', action: 'clear' },
      ['BAD_INPUT.unknownChoice', { choice: 'organized: clear' }],
    ],
  ];
  for (const [what, change, expected] of wrong) {
    it(`are refused for ${what}`, () => {
      assert.deepEqual(refusal(change), expected);
    });
  }

  it('are refused for counts of one field that are more than 100 together', () => {
    const add = (value: number): Change => ({ field: 'playCount', action: 'add', value });
    assert.deepEqual(refusal(add(100), add(1)), ['BAD_INPUT.notCount', { value: '101' }]);
    assert.equal(refusal(add(99), add(1)), 'none');
  });

  it('are refused if a field is set and also changed in another way', () => {
    for (const other of ['set', 'clear'] as const) {
      assert.deepEqual(refusal(set('rating', 20), { field: 'rating', action: other, value: 40 }), [
        'BAD_INPUT.changedTwice',
        { property: 'rating' },
      ]);
    }
    assert.deepEqual(refusal({ field: 'urls', action: 'add', value: 'a' }, set('urls', 'b')), [
      'BAD_INPUT.changedTwice',
      { property: 'urls' },
    ]);
  });
});
