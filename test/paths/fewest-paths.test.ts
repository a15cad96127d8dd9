import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { fewestPaths, insideOf, PathMap } from '../../src/paths';

describe('The fewest paths that cover all given ones', () => {
  const library = ['/media', '/films'];

  const examples: [what: string, given: string[], expected: string[], folders?: string[]][] = [
    ['are each path once', ['/media/a', '/media/b', '/media/a'], ['/media/a', '/media/b']],
    ['ignore the spelling', ['/media/a/', '/media/./a', '/media/b/../a'], ['/media/a/']],
    ['distinguish case', ['/media/a', '/media/A'], ['/media/a', '/media/A']],
    [
      'ignore the case of Windows',
      ['D:\\Media\\a', 'd:/media/A', 'D:\\Media\\b'],
      ['D:\\Media\\a', 'D:\\Media\\b'],
      ['D:\\Media'],
    ],
    [
      'omit what lies in another one',
      ['/media/a/b/c', '/media/a', '/media/a/d', '/media/ab'],
      ['/media/a', '/media/ab'],
    ],
    ['are the folder for one of the library', ['/media', '/media/x/y'], ['/media']],
    ['are 50 files of one folder', files('/media/a', 50), files('/media/a', 50)],
    ['are the folder for 51 files of it', files('/media/a', 51), ['/media/a']],
    ['count each file once', [...files('/media/a', 50), ...files('/media/a', 50)], files('/media/a', 50)],
    ['count the files of a library folder, too', files('/media', 51), ['/media']],
    [
      'are no folder above the one of the files',
      range(60).flatMap((index) => files(`/media/${index}`, 51)),
      range(60).map((index) => `/media/${index}`),
    ],
    [
      'do not count a folder that stands in for its files',
      [...files('/media/a', 50), ...files('/media/a/b', 51)],
      [...files('/media/a', 50), '/media/a/b'],
    ],
    [
      'are the folder also for what lies deeper in it',
      [...files('/media/a', 51), '/media/a/b/c'],
      ['/media/a'],
    ],
    ['are no folder above the library', [...files('/', 60)], [], ['/media']],
    ['ignore what is outside the library', ['/media/a', '/other', 'media/b', ''], ['/media/a']],
    [
      'are 200 paths',
      range(100).flatMap((index) => files(`/media/${index}`, 2)),
      range(100).flatMap((index) => files(`/media/${index}`, 2)),
    ],
    [
      'are the library folders that contain them for more than 200',
      [...range(200).map((index) => `/films/${index}/a`), '/media/a/b'],
      ['/films', '/media'],
    ],
    [
      'are the outermost of library folders in each other',
      range(201).map((index) => `/media/x/${index}/a`),
      ['/media'],
      ['/media/x', '/media'],
    ],
    ['are a library folder, but none above', range(201).map((index) => `/media/${index}/a/b`), ['/media']],
    [
      'are more than 200 only for a library with more folders',
      range(201).map((index) => `/media/${index}/a`),
      range(201).map((index) => `/media/${index}`),
      range(201).map((index) => `/media/${index}`),
    ],
    [
      'also cover paths between nested folders of the library',
      ['/media/x/a'],
      ['/media/x/a'],
      ['/media/x/y', '/media'],
    ],
    ['are none without paths', [], []],
  ];
  for (const [what, given, expected, folders = library] of examples) {
    it(what, () => {
      const { paths } = fewestPaths(given, folders);
      assert.deepEqual([...paths].sort(), [...expected].sort());
    });
  }

  it('tell whether all of them are folders that stand in for others', () => {
    assert.equal(fewestPaths(files('/media/a', 51), library).areFolders, true);
    assert.equal(fewestPaths([...files('/media/a', 51), '/media/b'], library).areFolders, false);
  });

  // Few names, so that paths often are equal or lie in each other.
  const name = fc.constantFrom('a', 'b', 'media', 'films');
  const folder = fc.array(name, { maxLength: 3 }).map((names) => `/${names.join('/')}`);
  const group = fc
    .record({ folder, files: fc.integer({ min: 1, max: 80 }), folders: fc.integer({ min: 0, max: 90 }) })
    .map(({ folder: top, files: count, folders: deeper }) => [
      ...files(top, count),
      ...range(deeper).flatMap((index) => files(`${top}/${index}`, 2)),
    ]);
  const given = fc
    .array(
      fc.oneof(
        folder.map((one) => [one]),
        group,
      ),
      { maxLength: 8 },
    )
    .map((groups) => groups.flat());
  const row = fc.record({ here: folder, there: folder });

  it('cover each path, and nothing that no path asked for, for any paths, library and path map', () => {
    fc.assert(
      fc.property(
        given,
        fc.array(folder, { maxLength: 4 }),
        fc.array(row, { maxLength: 3 }),
        (paths, folders, rows) => {
          const map = new PathMap(rows);
          const isInLibrary = insideOf(folders);
          const asked = paths.map((path) => map.toServer(path)).filter(isInLibrary);
          const { paths: chosen } = fewestPaths(asked, folders);

          const keys = new Set(asked.map(key));
          const chosenKeys = new Set(chosen.map(key));
          for (const path of keys) {
            assert.ok(
              [path, ...above(path)].some((one) => chosenKeys.has(one)),
              `${path} is covered`,
            );
          }
          for (const path of chosenKeys) {
            assert.ok(isInLibrary(path), `${path} is in the library`);
            assert.ok(!above(path).some((one) => chosenKeys.has(one)), `${path} is not covered twice`);
          }

          const outermost = [...keys].filter((path) => !above(path).some((one) => keys.has(one)));
          const files = new Map<string, number>();
          for (const path of outermost) files.set(parentOf(path), (files.get(parentOf(path)) ?? 0) + 1);
          const isCrowded = (path: string) => (files.get(path) ?? 0) > 50 && isInLibrary(path);
          const folded = new Set(
            outermost.map((path) => (isCrowded(parentOf(path)) ? parentOf(path) : path)),
          );
          for (const path of chosenKeys) {
            const isAllowed = keys.has(path) || isCrowded(path) || folded.size > 200;
            assert.ok(isAllowed, `${path} was not asked for`);
          }
          assert.ok(chosen.length <= Math.max(200, folders.length), `${chosen.length} paths`);
          const reversed = fewestPaths([...asked].reverse(), folders);
          assert.deepEqual(reversed.paths.map(key).sort(), chosen.map(key).sort(), 'in any order');
        },
      ),
      { numRuns: 300 },
    );
  }).timeout(60_000);
});

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function files(folder: string, count: number): string[] {
  return range(count).map((index) => `${folder.replace(/\/$/, '')}/${index}.mp4`);
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** Returns the folders above a path. */
function above(path: string): string[] {
  return path === '/' ? [] : [parentOf(path), ...above(parentOf(path))];
}

/** Returns a path without a trailing slash. */
function key(path: string): string {
  return path.replace(/\/+/g, '/').replace(/\/$/, '') || '/';
}
