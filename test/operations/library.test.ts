import assert from 'node:assert/strict';
import { isInside } from '../../src/operations/library';

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
    it(`${path} in ${folder}`, () => {
      assert.ok(isInside(path, folder));
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
    it(`but not ${path} in ${folder}`, () => {
      assert.ok(!isInside(path, folder));
    });
  }
});
