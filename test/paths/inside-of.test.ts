import assert from 'node:assert/strict';
import { subfolderOf, containingOf, insideOf, patternBelow, spelledAsIn } from '../../src/paths';

describe('A path is in a folder of the library', () => {
  const inside: [path: string, folder: string][] = [
    ['/data', '/data'],
    ['/data/', '/data'],
    ['/data', '/data/'],
    ['/data/films/new one.mp4', '/data'],
    ['/data/films/../clips', '/data'],
    ['/data/..films', '/data'],
    ['/anything', '/'],
    ['D:\\Media\\Films', 'D:\\Media'],
    ['d:/media/films', 'D:\\Media'],
    ['D:\\', 'D:\\'],
    ['\\\\nas\\share\\films', '\\\\nas\\share'],
  ];
  for (const [path, folder] of inside) {
    it(`if it is ${path} in ${folder}`, () => {
      assert.ok(insideOf([folder])(path));
    });
  }

  const outside: [path: string, folder: string][] = [
    ['/database', '/data'],
    ['/data/../etc', '/data'],
    ['/', '/data'],
    ['/Data/films', '/data'],
    ['data/films', '/data'],
    ['films', '/data'],
    ['D:\\Media', '/data'],
    ['D:\\MediaOther', 'D:\\Media'],
    ['E:\\Media\\Films', 'D:\\Media'],
    ['Media\\Films', 'D:\\Media'],
    ['/Media/Films', 'D:\\Media'],
    ['\\\\nas\\other', '\\\\nas\\share'],
  ];
  for (const [path, folder] of outside) {
    it(`but not if it is ${path} in ${folder}`, () => {
      assert.ok(!insideOf([folder])(path));
    });
  }

  it('if any of several folders contains it', () => {
    const isInside = insideOf([
      '/media/b',
      '/media/a/deep',
      '/media/a',
      'relative',
      'D:\\Clips',
      '/media/b2/',
    ]);
    for (const one of ['/media/a/x.mp4', '/media/a/deep/y.mp4', '/media/b', '/media/b2/z', 'd:\\clips\\x']) {
      assert.ok(isInside(one), one);
    }
    for (const one of ['/media', '/media/aa', '/media/b1', 'relative/x', '', 'D:\\Clips2', '/']) {
      assert.ok(!isInside(one), one);
    }
    assert.ok(!insideOf([])('/media'));
    const long = '/x'.repeat(20_000);
    assert.ok(!insideOf([long])(`${long}/y`), 'no path may be that long');
  });

  it('which is found among 20,000 folders within a second', () => {
    const folders = Array.from({ length: 20_000 }, (_, index) => `/media/${index}`);
    const start = process.cpuUsage();
    const isInside = insideOf(folders);
    const found = folders.filter((folder) => isInside(`${folder}/a.mp4`) && !isInside(`${folder}x`));
    const { user, system } = process.cpuUsage(start);
    assert.equal(found.length, folders.length);
    assert.ok(user + system < 1_000_000, `${(user + system) / 1000} ms`);
  });
});

describe('The branch of a folder in which a path is', () => {
  for (const [folder, path, branch] of [
    ['/data', '/data/films/new/one.mp4', '/data/films'],
    ['/data//', '/data/./films/one.mp4', '/data/films'],
    ['/data', '/data/one.mp4', '/data'],
    ['/', '/data/one.mp4', '/data'],
    ['D:\\Media', 'd:/media/Films/One.mp4', 'd:\\media\\Films'],
    ['data', '/data/films/one.mp4', '/data'],
    ['/data', 'films/one.mp4', '/data'],
  ] as const) {
    it(`is ${branch} for ${path} in ${folder}`, () => {
      assert.equal(subfolderOf(folder, path), branch);
    });
  }
});

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

describe('A path of the library is sent', () => {
  for (const [path, folder, sent] of [
    ['d:/media/Films/./A.mp4', 'D:\\Media', 'D:\\Media\\Films\\A.mp4'],
    ['D:\\MEDIA', 'D:\\Media', 'D:\\Media'],
    ['/data//films/../clips/', '/data', '/data/clips'],
    ['/data/films/a b.mp4', '/', '/data/films/a b.mp4'],
    ['/data/../etc', '/data', undefined],
  ] as const) {
    it(`as ${String(sent)} if it is ${path} in ${folder}`, () => {
      assert.equal(spelledAsIn(['/other', folder])(path), sent);
    });
  }
});
