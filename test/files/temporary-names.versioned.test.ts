import assert from 'node:assert/strict';
import { TemporaryNames, usualTemporaryNames } from '../../src/files/temporary-names';

describe('Temporary names', () => {
  const usual = new TemporaryNames(usualTemporaryNames);
  for (const [temporary, final] of [
    ['a.mp4.part', 'a.mp4'],
    ['A.MP4.PART', 'A.MP4'],
    ['a.mp4.!qB', 'a.mp4'],
    ['a b.mp4.crdownload', 'a b.mp4'],
    ['a.tmp', 'a'],
    ['_UNPACK_Holiday', 'Holiday'],
    ['.syncthing.a.mp4.tmp', 'a.mp4'],
    // rsync
    ['.a.mp4.Xy12ab', 'a.mp4'],
    ['a\n.part', 'a\n'],
  ] as const) {
    it(`as programs use them: ${JSON.stringify(temporary)} becomes ${JSON.stringify(final)}`, () => {
      assert.equal(usual.finalName(temporary), final);
    });
  }

  for (const name of [
    'a.mp4',
    'part',
    '.part',
    'a.partial.mp4',
    '.a.mp4',
    'tmp',
    '.hidden',
    '_UNPACK_',
    '..part',
    '...part',
    '',
  ]) {
    it(`are not such as ${JSON.stringify(name)}`, () => {
      assert.equal(usual.finalName(name), undefined);
    });
  }

  for (const [patterns, name, final] of [
    ['.part', 'a.mp4.part', 'a.mp4'],
    ['*.x, *.y\n*.z', 'a.z', 'a'],
    ['a.*', 'a.b', 'b'],
    ['a.*', 'axb', undefined],
    ['(*)[?]', '(a)[b]', 'a'],
    ['**.part', 'a.part', undefined],
    ['**.part', 'a*.part', 'a'],
    ['*.dl-part', 'a.dl-part', 'a'],
    ['*{}|^$', 'a{}|^$', 'a'],
    ['', 'a.part', undefined],
    ['*', 'a', 'a'],
  ] as const) {
    it(`${JSON.stringify(patterns)} ${final === undefined ? 'do not fit' : 'fit'} ${name}`, () => {
      assert.equal(new TemporaryNames(patterns).finalName(name), final);
    });
  }
});
