import assert from 'node:assert/strict';
import { kinds, previewOptions } from '../../../nodes/generate/inputs';
import type { Config } from '../../../src/flow';
import { previewPresets } from '../../../src/operations/tasks/generate';

describe('The kinds to generate', () => {
  const ticked = { sprites: true, markers: true };
  const withMarkers = { markerIDs: '1', markerIDsType: 'str' };

  it('are all that are ticked', () => {
    assert.deepEqual(kinds.read(ticked), ['sprites', 'markers']);
    assert.deepEqual(kinds.read({ ...ticked, ...withMarkers, sceneIDsType: 'msg' }), ['sprites', 'markers']);
  });

  it('are marker previews alone for markers alone, because Stash ignores the others', () => {
    assert.deepEqual(kinds.read({ ...ticked, ...withMarkers }), ['markers']);
    assert.throws(() => kinds.read({ sprites: true, ...withMarkers }), { case: 'BAD_INPUT.notChosen' });
  });
});

describe('The preview options', () => {
  const read = (config: Config) => previewOptions.read({ previews: true, ...config });

  it('are null if all properties are empty or missing', () => {
    assert.equal(read({}), null);
    assert.equal(read({ previewSegments: '', previewExcludeStart: ' ', previewPreset: null }), null);
  });

  it('contain only what is set', () => {
    assert.deepEqual(read({ previewSegments: '5' }), { previewSegments: 5 });
    assert.deepEqual(
      read({
        ...{ previewSegments: 5, previewSegmentDuration: ' 0.75', previewPreset: 'slow' },
        ...{ previewExcludeStart: '2 %', previewExcludeEnd: '1.5' },
      }),
      {
        ...{ previewSegments: 5, previewSegmentDuration: 0.75, previewPreset: 'slow' },
        ...{ previewExcludeStart: '2%', previewExcludeEnd: '1.5' },
      },
    );
    for (const previewPreset of previewPresets) assert.deepEqual(read({ previewPreset }), { previewPreset });
  });

  it('are null without previews, even if they are wrong', () => {
    for (const previews of [false, undefined, 'true']) {
      assert.equal(read({ previews, previewSegments: '5', previewExcludeEnd: 'x' }), null);
    }
  });

  for (const [property, values, error] of [
    [
      'previewSegments',
      ['0', '-1', '2.5', 'many', 0, '3000000000', 'Infinity'],
      'BAD_INPUT.notPositiveWhole',
    ],
    ['previewSegmentDuration', ['0', '-1', '1,5', 'NaN', 'Infinity'], 'BAD_INPUT.notPositive'],
    ['previewExcludeStart', ['%', '-1', '1,5', '101%', '2 percent', '1e3', '00:10'], 'BAD_INPUT.notPart'],
    ['previewExcludeEnd', ['x'], 'BAD_INPUT.notPart'],
  ] as const) {
    it(`lead to BAD_INPUT for a wrong ${property}`, () => {
      for (const value of values) {
        assert.throws(
          () => read({ [property]: value }),
          { case: error, details: { property } },
          String(value),
        );
      }
    });
  }

  it('lead to BAD_INPUT for an unknown preset, or a property of another type', () => {
    assert.throws(() => read({ previewPreset: 'fastest' }), { case: 'BAD_INPUT.unknownChoice' });
    for (const value of [true, [], {}]) {
      assert.throws(() => read({ previewSegments: value }), { case: 'BAD_INPUT.notText' });
    }
  });
});
