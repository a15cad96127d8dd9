import assert from 'node:assert/strict';
import { containingOf, patternBelow } from '../../src/paths';

describe('The pattern of all paths below a folder', () => {
  const matches = (folder: string, path: string) => {
    const pattern = patternBelow(folder) ?? assert.fail(folder);
    const isLoose = pattern.startsWith('(?i)');
    return new RegExp(isLoose ? pattern.slice(4) : pattern, isLoose ? 'i' : '').test(path);
  };

  for (const [folder, path, isBelow] of [
    ['/media/videos', '/media/videos/a.mp4', true],
    ['/media//videos/', '/media/videos/a/b.mp4', true],
    ['/media/./x/../videos', '/media/videos/a.mp4', true],
    ['/', '/a.mp4', true],
    ['/media/a+b (1)[x]', '/media/a+b (1)[x]/c.mp4', true],
    ['/media/videos', '/media/videos2/a.mp4', false],
    ['/media/videos', '/old/media/videos/a.mp4', false],
    ['/media/videos', '/Media/videos/a.mp4', false],
    ['/media/a.b', '/media/axb/c.mp4', false],
    ['D:/Media', 'D:\\Media\\a.mp4', true],
    ['d:\\media\\', 'D:\\Media\\a.mp4', true],
    ['D:\\', 'D:\\a.mp4', true],
    ['\\\\nas\\share\\x', '\\\\nas\\share\\x\\a.mp4', true],
    ['D:\\Media', 'D:\\Media2\\a.mp4', false],
  ] as const) {
    it(`${isBelow ? 'fits' : 'does not fit'} ${path} for ${folder}`, () => {
      assert.equal(matches(folder, path), isBelow);
    });
  }

  it('is unknown for a relative path', () => {
    assert.equal(patternBelow('media/videos'), undefined);
  });
});

describe('A folder', () => {
  it('contains itself and what is below it, in whatever order the paths are', () => {
    const hasPath = containingOf(['/z', '/media/b/c', '/media/a']);
    for (const folder of ['/media', '/media/b', '/media/a', '/z', '/']) assert.ok(hasPath(folder), folder);
    for (const folder of ['/med', '/media/b/c/d', '/y', '/zz', 'media']) assert.ok(!hasPath(folder), folder);
  });
});
