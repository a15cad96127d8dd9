import assert from 'node:assert/strict';
import { missingRow, PathMap } from '../../src/paths';

describe('A path map', () => {
  const translated: [path: string, expected: string, rows: [here: string, there: string][]][] = [
    ['/downloads/new/a.mp4', '/data/downloads/new/a.mp4', [['/downloads', '/data/downloads']]],
    ['/downloads', '/data', [['/downloads', '/data']]],
    ['/downloads/', '/data', [['/downloads', '/data']]],
    ['/downloads/a', '/data/a', [['/downloads/', '/data/']]],
    ['/downloads/a', '/data/a', [[' /downloads ', '/data\n']]],
    ['/downloads/../downloads/./a', '/data/a', [['/downloads', '/data']]],
    ['/downloads/a', '/a', [['/downloads', '/']]],
    ['/downloads/a', '/nas/downloads/a', [['/', '/nas']]],
    ['D:\\Downloads\\new\\a b.mp4', '/data/new/a b.mp4', [['D:\\Downloads', '/data']]],
    ['d:/downloads/new', '/data/new', [['D:\\Downloads\\', '/data']]],
    ['\\\\nas\\media\\new', '/data/new', [['\\\\NAS\\Media', '/data']]],
    ['/downloads/new/a.mp4', 'E:\\Media\\new\\a.mp4', [['/downloads', 'E:\\Media']]],
    ['/downloads/new', 'E:\\new', [['/downloads', 'E:\\']]],
    ['/downloads/new', '\\\\nas\\share\\new', [['/downloads', '\\\\nas\\share']]],
    [
      '/a/b/c/d',
      '/long/d',
      [
        ['/a', '/short'],
        ['/a/b/c', '/long'],
        ['/a/b', '/middle'],
      ],
    ],
    [
      '/a/x',
      '/first/x',
      [
        ['/a', '/first'],
        ['/a', '/second'],
      ],
    ],
  ];
  for (const [path, expected, rows] of translated) {
    it(`turns ${JSON.stringify(path)} into ${expected} by ${rows.map((row) => row.join(' → ')).join(', ')}`, () => {
      assert.equal(mapOf(rows).toServer(path), expected);
    });
  }

  const kept: [path: string, here: string][] = [
    ['/downloads2/a', '/downloads'],
    ['/downloads/../etc', '/downloads'],
    ['/Downloads/a', '/downloads'],
    ['downloads/a', '/downloads'],
    ['C:\\Downloads2', 'C:\\Downloads'],
    ['D:\\Downloads', 'C:\\Downloads'],
    ['/Downloads', '\\Downloads'],
    ['\\\\nas\\other\\a', '\\\\nas\\share'],
    ['/downloads//', '/downloads/new'],
    ['\\\\nas\\video\\a.mp4', '\\'],
    ['\\\\?\\Vol12\\x.mp4', '\\\\?\\Vol1'],
    ['', '/'],
  ];
  for (const [path, here] of kept) {
    it(`keeps ${JSON.stringify(path)}, which is not in ${here}`, () => {
      assert.equal(mapOf([[here, '/data']]).toServer(path), path);
    });
  }

  it('without rows keeps every path as it is', () => {
    for (const path of ['/a//b/', 'x', 'C:/a\\b', '']) assert.equal(mapOf([]).toServer(path), path);
  });

  for (const row of [
    ['', ''],
    ['/downloads', ''],
    ['downloads', '/data'],
    ['/downloads', 'C:data'],
    [`/${'x'.repeat(40_000)}`, '/data'],
  ] as const) {
    it(`is refused with the row ${JSON.stringify(row).slice(0, 40)}`, () => {
      assert.throws(() => mapOf([['/a', '/b'], row]), { case: 'NO_SERVER.badPathMap', details: { row: 2 } });
    });
  }
});

describe('A path map with an environment variable inside a path', () => {
  it('is refused, because Node-RED replaces only a whole value', () => {
    for (const row of [
      ['/mnt/${UNSET}', '/data'],
      ['/downloads', '${A}/data'],
    ] as const) {
      assert.throws(() => mapOf([row]), { case: 'NO_SERVER.variableInPathMap', details: { row: 1 } });
    }
  });
});

describe('The row that a path map probably lacks', () => {
  const found: [path: string, folders: string[], here: string, there: string][] = [
    ['/downloads/a.mp4', ['/data/downloads'], '/downloads', '/data/downloads'],
    ['/volume1/media/films/new/a.mp4', ['/data/films', '/data/clips'], '/volume1/media/films', '/data/films'],
    ['/volume1/media/films', ['/films', '/x/media/films'], '/volume1/media/films', '/x/media/films'],
    ['/mnt/data/new', ['/data'], '/mnt/data', '/data'],
    ['Z:\\Media\\Films\\a.mp4', ['/data/films'], 'Z:\\Media\\Films', '/data/films'],
    ['/films/a.mp4', ['D:\\Media\\Films'], '/films', 'D:\\Media\\Films'],
    ['/films/other/films/a.mp4', ['/data/films'], '/films', '/data/films'],
  ];
  for (const [path, folders, here, there] of found) {
    it(`is ${here} → ${there} for ${path} and the library ${folders.join(', ')}`, () => {
      assert.deepEqual(missingRow(path, folders), { here, there });
    });
  }

  const unknown: [path: string, folders: string[]][] = [
    ['/downloads/a.mp4', ['/data/films']],
    ['/downloads/a.mp4', []],
    ['/downloads/a.mp4', ['/', 'relative/downloads']],
    ['downloads/a.mp4', ['/data/downloads']],
    ['', ['/data']],
  ];
  for (const [path, folders] of unknown) {
    it(`is unknown for ${JSON.stringify(path)} and the library ${JSON.stringify(folders)}`, () => {
      assert.equal(missingRow(path, folders), undefined);
    });
  }

  it('is found among 10,000 folders without a stall', () => {
    const folders = Array.from({ length: 10_000 }, (_, index) => `/data/a/b/c/${index}`);
    const start = process.cpuUsage();
    for (const path of [`/x${'/a'.repeat(60)}`, '/x/a'.repeat(8000)]) missingRow(path, folders);
    const { user, system } = process.cpuUsage(start);
    assert.ok(user + system < 500_000, `${(user + system) / 1000} ms`);
  });
});

function mapOf(rows: readonly (readonly [here: string, there: string])[]): PathMap {
  return new PathMap(rows.map(([here, there]) => ({ here, there })));
}
