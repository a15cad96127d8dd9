import assert from 'node:assert/strict';
import { firstList } from '../../../src/operations/query/first-list';

const SCENES = [{ id: '1' }, { id: '2' }];

describe('The list in a response', () => {
  const cases: Record<string, [data: Record<string, unknown>, expected: ReturnType<typeof firstList>]> = {
    'is the value of a field': [{ allStudios: SCENES }, { items: SCENES }],
    'is in the result of a search, with the number of all items': [
      { findScenes: { count: 47, duration: 1.5, __typename: 'FindScenesResultType', scenes: SCENES } },
      { items: SCENES, count: 47 },
    ],
    'is in objects that hold nothing else': [
      { configuration: { general: { stashes: SCENES } } },
      { items: SCENES },
    ],
    'is the first one with objects': [
      { stats: { scene_count: 5 }, empty: [], a: SCENES, b: [{ id: '3' }] },
      { items: SCENES },
    ],
    'may be empty': [{ findScenes: { count: 0, scenes: [] } }, { items: [], count: 0 }],
    'is none of the lists of an item': [{ findScene: { title: 'a', tags: SCENES } }, undefined],
    'is none of the lists of an item with nothing else but a yes or no': [
      { findScene: { organized: true, tags: SCENES } },
      undefined,
    ],
    'is none of texts or numbers': [{ names: ['a', 'b'], numbers: [1] }, undefined],
    'is not there': [{ stats: { scene_count: 5 }, version: null, flag: true }, undefined],
    'is not looked for in the depths of a value that the server made up': [
      { a: { b: { c: { d: { e: { f: { g: SCENES } } } } } } },
      undefined,
    ],
  };
  for (const [title, [data, expected]] of Object.entries(cases)) {
    it(title, () => {
      assert.deepEqual(firstList(data), expected);
    });
  }
});
