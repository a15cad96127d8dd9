import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import syncFs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { restore, stub } from 'sinon';
import { sha256Of } from '../nodes/backup/backups';
import { openIn } from '../support/open-files';
import { removeStaleTempFiles } from '../../src/backups/folder';
import { lastPictures, type ManifestEntry, rotate, type Rotation } from '../../src/backups/manifest';
import type { RetentionPolicy } from '../../src/backups/retention';

const MANIFEST = '.stash-backups.json';

describe('The rotation of backups in a folder', () => {
  let root: string;
  let folder: string;

  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(tmpdir(), 'node-red-stash-')));
    folder = path.join(root, 'backups');
    mkdirSync(folder);
  });
  afterEach(() => {
    restore();
    rmSync(root, { recursive: true });
  });

  const { signal } = new AbortController();
  const contentOf = (day: number) => Buffer.alloc(day, 'x');
  const place = (name: string) => path.join(folder, name);
  const files = () => readdirSync(folder).filter((name) => name !== MANIFEST);
  const text = () => readFileSync(place(MANIFEST), 'utf8');
  const entries = () => (JSON.parse(text()) as { backups: ManifestEntry[] }).backups;
  const recorded = () => entries().map(({ file }) => file);

  const failure = (code: string) => Object.assign(new Error(code), { code, syscall: 'any' });

  /** Returns the entry of a backup made on a day in November; its size in bytes is the day. */
  function entry(day: number, { owner = 'node', file = `${day}.sqlite`, pictures = 0 } = {}): ManifestEntry {
    const madeAt = new Date(2026, 10, day, 3).toISOString();
    const hasPictures = pictures > 0;
    return { owner, pictures, hasPictures, file, bytes: day, sha256: sha256Of(contentOf(day)), madeAt };
  }

  /** Puts a backup into the folder, then rotates. */
  async function backUp(
    day: number,
    { rules = { last: 2 }, into = folder, ...about }: Partial<About> = {},
  ): Promise<Rotation> {
    const made = entry(day, about);
    writeFileSync(place(made.file), contentOf(made.bytes));
    return await rotate(into, made, { last: 0, daily: 0, weekly: 0, monthly: 0, ...rules }, signal);
  }

  interface About {
    rules: Partial<RetentionPolicy>;
    into: string;
    owner: string;
    file: string;
    pictures: number;
  }

  it('records each backup and removes expired ones, oldest first', async () => {
    for (const day of [1, 2]) assert.deepEqual(await backUp(day), { removed: [], trouble: null });
    assert.deepEqual(await backUp(3), { removed: ['1.sqlite'], trouble: null });
    assert.deepEqual(await backUp(4, { rules: { last: 1 } }), {
      removed: ['2.sqlite', '3.sqlite'],
      trouble: null,
    });
    assert.deepEqual(files(), ['4.sqlite']);
    assert.deepEqual(JSON.parse(text()), { version: 1, backups: [entry(4)] });
  });

  it('writes a readable manifest that only the user of Node-RED can open, and closes it', async () => {
    await backUp(1);
    assert.match(text(), /^\{\n {2}"version": 1,\n.*\}\n$/s);
    if (process.platform !== 'win32') assert.equal(statSync(place(MANIFEST)).mode & 0o777, 0o600);
    assert.deepEqual(openIn(folder), []);
  });

  it('keeps files of the user, of another node and of a node without rotation', async () => {
    writeFileSync(place('mine.sqlite'), 'x');
    await backUp(1, { owner: 'other' });
    await backUp(2);
    assert.deepEqual(await backUp(3, { rules: { last: 1 } }), { removed: ['2.sqlite'], trouble: null });
    assert.deepEqual(files(), ['1.sqlite', '3.sqlite', 'mine.sqlite']);
    assert.deepEqual(recorded(), ['1.sqlite', '3.sqlite']);
  });

  it('counts backups with the pictures apart from the others', async () => {
    const rules = { last: 1 };
    await backUp(1, { pictures: 5 });
    await backUp(2);
    assert.deepEqual((await backUp(3, { rules })).removed, ['2.sqlite']);
    assert.deepEqual((await backUp(4, { rules, pictures: 7 })).removed, ['1.sqlite']);
  });

  it('has the number of pictures of the last backup with them that is still there', async () => {
    assert.equal(await lastPictures(folder, 'node'), 0);
    for (const [day, pictures] of [
      [1, 5],
      [3, 7],
      [2, 9],
      [4, 0],
    ] as const) {
      await backUp(day, { rules: {}, pictures });
    }
    await backUp(5, { owner: 'other', rules: {}, pictures: 11 });
    assert.equal(await lastPictures(folder, 'node'), 7);
    rmSync(place('3.sqlite'));
    assert.equal(await lastPictures(folder, 'node'), 9);
    writeFileSync(place(MANIFEST), 'damaged');
    assert.equal(await lastPictures(folder, 'node'), 0);
  });

  it('keeps everything without a rule', async () => {
    for (const day of [1, 2, 3]) await backUp(day, { rules: {} });
    assert.deepEqual(files(), ['1.sqlite', '2.sqlite', '3.sqlite']);
  });

  const lost: [how: string, lose: (file: string) => void][] = [
    ['deleted', rmSync],
    [
      'changed',
      (file) => {
        writeFileSync(file, 'something else');
      },
    ],
  ];
  for (const [how, lose] of lost) {
    it(`forgets ${how} backups and does not count them`, async () => {
      for (const day of [1, 2]) await backUp(day);
      lose(place('2.sqlite'));
      assert.deepEqual(await backUp(3), { removed: [], trouble: null });
      assert.deepEqual(recorded(), ['1.sqlite', '3.sqlite']);
    });
  }

  const replaced: [what: string, put: (file: string) => void][] = [
    [
      'a file of another size',
      (file) => {
        writeFileSync(file, 'something else');
      },
    ],
    [
      'a folder',
      (file) => {
        mkdirSync(file);
      },
    ],
    [
      'a link to a file of the same size',
      (file) => {
        writeFileSync(path.join(root, 'else'), 'x');
        symlinkSync(path.join(root, 'else'), file);
      },
    ],
    [
      'a broken link',
      (file) => {
        symlinkSync('nowhere', file);
      },
    ],
  ];
  for (const [what, put] of replaced) {
    it(`forgets a backup and removes nothing if ${what} has taken its place`, async () => {
      await backUp(1);
      rmSync(place('1.sqlite'));
      put(place('1.sqlite'));
      assert.deepEqual(await backUp(2, { rules: { last: 1 } }), { removed: [], trouble: null });
      assert.deepEqual(files(), ['1.sqlite', '2.sqlite']);
      assert.deepEqual(recorded(), ['2.sqlite']);
    });
  }

  it('forgets a backup and removes nothing if a file of the same size and times has taken its place', async () => {
    for (const day of [1, 2, 3]) await backUp(day, { rules: {} });
    const { atime, mtime } = statSync(place('2.sqlite'));
    writeFileSync(place('2.sqlite'), 'my');
    utimesSync(place('2.sqlite'), atime, mtime);
    assert.deepEqual(await backUp(4, { rules: { last: 1 } }), {
      removed: ['1.sqlite', '3.sqlite'],
      trouble: null,
    });
    assert.deepEqual([files(), recorded()], [['2.sqlite', '4.sqlite'], ['4.sqlite']]);
    assert.equal(readFileSync(place('2.sqlite'), 'utf8'), 'my');
  });

  it('keeps an unreadable backup in the manifest and retries it next time', async () => {
    await backUp(1);
    stub(syncFs, 'createReadStream').callsFake(() => {
      throw failure('EIO');
    });
    assert.deepEqual(await backUp(2, { rules: { last: 1 } }), { removed: [], trouble: 'EIO 1.sqlite' });
    assert.deepEqual(recorded(), ['1.sqlite', '2.sqlite']);
    restore();
    assert.deepEqual(await backUp(3, { rules: { last: 1 } }), {
      removed: ['1.sqlite', '2.sqlite'],
      trouble: null,
    });
  });

  it('removes nothing if the node stops during the check, and catches up next time', async () => {
    await backUp(1);
    const controller = new AbortController();
    const { createReadStream } = syncFs;
    stub(syncFs, 'createReadStream').callsFake((file) => {
      controller.abort();
      return createReadStream(file);
    });
    const made = entry(2);
    writeFileSync(place(made.file), contentOf(2));
    const rules = { last: 1, daily: 0, weekly: 0, monthly: 0 };
    const { removed } = await rotate(folder, made, rules, controller.signal);
    assert.deepEqual([removed, recorded()], [[], ['1.sqlite', '2.sqlite']]);
    restore();
    assert.deepEqual((await backUp(3, { rules: { last: 1 } })).removed, ['1.sqlite', '2.sqlite']);
  });

  it('keeps one entry for a name that was overwritten, by the same or another node', async () => {
    await backUp(1, { file: 'latest.sqlite', owner: 'other' });
    await backUp(1, { file: 'latest.sqlite' });
    assert.deepEqual(entries(), [entry(1, { file: 'latest.sqlite' })]);
    assert.deepEqual(await backUp(2, { owner: 'other', rules: { last: 1 } }), { removed: [], trouble: null });
    assert.deepEqual(files(), ['2.sqlite', 'latest.sqlite']);
  });

  it('treats names that differ only in letter case or normalization as one file', async () => {
    await backUp(1, { file: 'Café.sqlite' });
    await backUp(1, { file: 'CAFE\u0301.sqlite', rules: { last: 1 } });
    assert.deepEqual(recorded(), ['CAFE\u0301.sqlite']);
    assert.ok(existsSync(place('Café.sqlite')), 'the only file of that name may be the new backup');
  });

  it('removes nothing if the new backup vanishes at once, for example into quarantine', async () => {
    await backUp(1);
    const rules = { last: 1, daily: 0, weekly: 0, monthly: 0 };
    assert.deepEqual(await rotate(folder, entry(2), rules, signal), {
      removed: [],
      trouble: 'missing 2.sqlite',
    });
    assert.deepEqual([files(), recorded()], [['1.sqlite'], ['1.sqlite']]);
  });

  it('records all of many simultaneous backups, even if their paths to the folder differ', async () => {
    symlinkSync(folder, path.join(root, 'link'));
    const ways = [folder, `${folder}/`, path.join(root, 'link'), path.join(folder, '..', 'backups')];
    const days = Array.from({ length: 28 }, (_, index) => index + 1);
    const ends = await Promise.all(
      days.map((day) =>
        backUp(day, { into: ways[day % 4] ?? folder, owner: `node ${day % 2}`, rules: { last: 3 } }),
      ),
    );
    assert.deepEqual(
      ends.filter(({ trouble }) => trouble !== null),
      [],
    );
    assert.equal(ends.flatMap(({ removed }) => removed).length, 22);
    assert.equal(files().length, 6);
    assert.deepEqual(recorded().sort(), files().sort());
  });

  it('does not wait for another folder that is blocked', async () => {
    const slow = path.join(root, 'slow');
    mkdirSync(slow);
    const lstat = stub(fs, 'lstat').callThrough();
    let wake = (): void => undefined;
    const asleep = new Promise<void>((resolve) => (wake = resolve));
    lstat.withArgs(path.join(slow, MANIFEST)).callsFake(async () => {
      await asleep;
      return await lstat.wrappedMethod(path.join(slow, MANIFEST));
    });
    const waiting = backUp(1, { into: slow });
    assert.deepEqual(await backUp(2), { removed: [], trouble: null });
    wake();
    assert.deepEqual(await waiting, { removed: [], trouble: 'missing 1.sqlite' });
  });

  const good = JSON.stringify(entry(1));
  const damaged: [what: string, content: string][] = [
    ['is empty', ''],
    ['was cut off', `{"version":1,"backups":[${good}`],
    ['is not an object', 'null'],
    ['is a list', `[${good}]`],
    ['is of a later version', `{"version":2,"backups":[${good}]}`],
    ['has no list', '{"version":1}'],
    ['has entries that are not objects', '{"version":1,"backups":[null]}'],
    ...['owner', 'pictures', 'hasPictures', 'file', 'bytes', 'sha256', 'madeAt'].map(
      (name): [string, string] => [
        `has an entry without ${name}`,
        JSON.stringify({ version: 1, backups: [entry(2), { ...entry(1), [name]: undefined }] }),
      ],
    ),
    ['has an invalid time', JSON.stringify({ version: 1, backups: [{ ...entry(1), madeAt: 'yesterday' }] })],
    ['leads out of the folder', JSON.stringify({ version: 1, backups: [entry(1, { file: '../precious' })] })],
    ['names an absolute path', JSON.stringify({ version: 1, backups: [entry(1, { file: '/etc/passwd' })] })],
    ['names itself', JSON.stringify({ version: 1, backups: [entry(1, { file: MANIFEST })] })],
    ['is too large', `{"version":1,"backups":[]}${' '.repeat(17 * 1024 ** 2)}`],
  ];
  for (const [what, content] of damaged) {
    it(`removes nothing and keeps the manifest unchanged if it ${what}`, async () => {
      writeFileSync(place(MANIFEST), content);
      for (const name of ['1.sqlite', path.join('..', 'precious')]) writeFileSync(place(name), 'x');
      assert.deepEqual(await backUp(2, { rules: { last: 1 } }), {
        removed: [],
        trouble: `damaged ${MANIFEST}`,
      });
      assert.deepEqual(files(), ['1.sqlite', '2.sqlite']);
      assert.equal(text(), content);
      assert.ok(existsSync(path.join(root, 'precious')));
    });
  }

  it('removes nothing if a folder has the name of the manifest', async () => {
    mkdirSync(place(MANIFEST));
    assert.deepEqual(await backUp(1), { removed: [], trouble: `damaged ${MANIFEST}` });
  });

  it('removes nothing if the manifest is a link, and does not change the target of the link', async () => {
    const elsewhere = path.join(root, 'elsewhere');
    const content = JSON.stringify({ version: 1, backups: [entry(1)] });
    writeFileSync(elsewhere, content);
    writeFileSync(place('1.sqlite'), 'x');
    symlinkSync(elsewhere, place(MANIFEST));
    assert.deepEqual(await backUp(2, { rules: { last: 1 } }), {
      removed: [],
      trouble: `damaged ${MANIFEST}`,
    });
    assert.deepEqual([files(), readFileSync(elsewhere, 'utf8')], [['1.sqlite', '2.sqlite'], content]);
  });

  it('removes a backup once although the manifest lists it twice, and only when its later entry expires', async () => {
    writeFileSync(
      place(MANIFEST),
      JSON.stringify({ version: 1, backups: [entry(1), { ...entry(1), madeAt: entry(3).madeAt }] }),
    );
    writeFileSync(place('1.sqlite'), 'x');
    assert.deepEqual(await backUp(4), { removed: [], trouble: null });
    assert.deepEqual(await backUp(5), { removed: ['1.sqlite'], trouble: null });
  });

  it('keeps unknown properties in the manifest', async () => {
    writeFileSync(
      place(MANIFEST),
      JSON.stringify({ version: 1, backups: [{ ...entry(1), note: 'before moving house' }] }),
    );
    writeFileSync(place('1.sqlite'), 'x');
    await backUp(2);
    assert.match(text(), /before moving house/);
  });

  it('retries backups that it could not remove, and removes the others', async () => {
    for (const day of [1, 2, 3]) await backUp(day, { rules: {} });
    const unlink = stub(fs, 'unlink').callThrough();
    for (const day of [1, 2]) unlink.withArgs(place(`${day}.sqlite`)).rejects(failure('EBUSY'));
    assert.deepEqual(await backUp(4, { rules: { last: 1 } }), {
      removed: ['3.sqlite'],
      trouble: 'EBUSY 1.sqlite, EBUSY 2.sqlite',
    });
    assert.deepEqual(recorded(), ['1.sqlite', '2.sqlite', '4.sqlite']);
    restore();
    assert.deepEqual(await backUp(5, { rules: { last: 1 } }), {
      removed: ['1.sqlite', '2.sqlite', '4.sqlite'],
      trouble: null,
    });
  });

  it('keeps an inaccessible backup in the manifest, and does not count it', async () => {
    for (const day of [1, 2]) await backUp(day);
    stub(fs, 'lstat').callThrough().withArgs(place('2.sqlite')).rejects(failure('EIO'));
    assert.deepEqual(await backUp(3), { removed: [], trouble: 'EIO 2.sqlite' });
    assert.deepEqual(recorded(), ['1.sqlite', '2.sqlite', '3.sqlite']);
  });

  it('removes nothing if it cannot record the new backup, and leaves no temp file', async () => {
    for (const day of [1, 2]) await backUp(day);
    const before = text();
    stub(fs, 'rename').rejects(failure('ENOSPC'));
    assert.deepEqual(await backUp(3), { removed: [], trouble: `ENOSPC ${MANIFEST}` });
    assert.deepEqual([files(), text()], [['1.sqlite', '2.sqlite', '3.sqlite'], before]);
  });

  it('removes nothing on a read-only disk, and reports the problem', async () => {
    for (const step of ['open', 'unlink'] as const) stub(fs, step).rejects(failure('EROFS'));
    assert.deepEqual(await backUp(1), { removed: [], trouble: `EROFS ${MANIFEST}` });
  });

  it('reports a removed backup even if the manifest cannot be updated', async () => {
    for (const day of [1, 2]) await backUp(day);
    stub(fs, 'rename').callThrough().onSecondCall().rejects(failure('EIO'));
    assert.deepEqual(await backUp(3), { removed: ['1.sqlite'], trouble: `EIO ${MANIFEST}` });
    restore();
    assert.deepEqual(await backUp(4), { removed: ['2.sqlite'], trouble: null });
    assert.deepEqual(
      [files(), recorded()],
      [
        ['3.sqlite', '4.sqlite'],
        ['3.sqlite', '4.sqlite'],
      ],
    );
  });

  it('records the new backup before it removes others', async () => {
    await backUp(1);
    let known: string[] = [];
    const unlink = stub(fs, 'unlink').callThrough();
    unlink.withArgs(place('1.sqlite')).callsFake(() => {
      known = recorded();
      return unlink.wrappedMethod(place('1.sqlite'));
    });
    await backUp(2, { rules: { last: 1 } });
    assert.deepEqual(known, ['1.sqlite', '2.sqlite']);
  });

  it('keeps what another Node-RED has recorded while this one read and removed old backups', async () => {
    for (const day of [1, 2]) await backUp(day);
    const unlink = stub(fs, 'unlink').callThrough();
    unlink.withArgs(place('1.sqlite')).callsFake(async () => {
      const content = JSON.parse(text()) as { backups: ManifestEntry[] };
      content.backups.push(entry(9, { owner: 'another' }));
      writeFileSync(place(MANIFEST), JSON.stringify(content));
      await unlink.wrappedMethod(place('1.sqlite'));
    });
    assert.deepEqual((await backUp(3)).removed, ['1.sqlite']);
    assert.deepEqual(recorded(), ['2.sqlite', '3.sqlite', '9.sqlite']);
  });

  /** A program that makes one backup after another until it is killed. */
  const endless = `
    const [manifest, folder] = process.argv.slice(1);
    const { rotate } = require(manifest);
    const { writeFileSync } = require('node:fs');
    const { signal } = new AbortController();
    const sha256 = '${sha256Of(Buffer.from('x'))}';
    (async () => {
      for (let time = 1; ; time++) {
        const file = time + '.sqlite';
        writeFileSync(folder + '/' + file, 'x');
        const made = { owner: 'node', pictures: 0, hasPictures: false, file, bytes: 1, sha256, madeAt: new Date(time * 1000).toISOString() };
        await rotate(folder, made, { last: 3, daily: 0, weekly: 0, monthly: 0 }, signal);
        process.stdout.write('.');
      }
    })();`;

  for (let round = 1; round <= 5; round++) {
    it(`survives a kill of Node-RED: all backups recorded, the newest kept, no temp file (${round})`, async () => {
      const program = ['-e', endless, require.resolve('../../src/backups/manifest'), folder];
      const killed = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] });
      let made = 0;
      killed.stdout.on('data', (dots: Buffer) => (made += dots.length));
      await once(killed.stdout, 'data');
      await sleep(Math.random() * 50);
      killed.kill('SIGKILL');
      await once(killed, 'close');

      assert.ok(Number.parseInt(recorded().at(-1) ?? '') >= made, 'all backups are recorded');
      assert.ok(
        recorded()
          .slice(-3)
          .every((file) => existsSync(place(file))),
        'the last three backups exist',
      );
      const unknown = files().filter((file) => !file.startsWith('.') && !recorded().includes(file));
      assert.ok(
        unknown.length <= 1,
        'at most one backup, which was about to be recorded, is missing in the manifest',
      );

      await removeStaleTempFiles(folder, 'node');
      assert.deepEqual(
        files().filter((file) => file.startsWith('.')),
        [],
      );
      assert.equal((await backUp(1, { rules: { last: 1 } })).trouble, null);
      assert.deepEqual(
        files().filter((file) => !unknown.includes(file)),
        ['1.sqlite'],
      );
    });
  }

  it('reports ENOENT if the folder is gone', async () => {
    const gone = path.join(root, 'gone');
    assert.deepEqual(await backUp(1, { into: gone }), { removed: [], trouble: `ENOENT ${MANIFEST}` });
    assert.ok(!existsSync(gone));
  });
});
