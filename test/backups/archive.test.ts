import assert from 'node:assert/strict';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { type ArchiveFindings, checkArchive } from '../../src/backups/archive';
import { archive, type ArchivedFile, type ArchiveOptions, filesOf } from '../fake-stash/archive';
import { database } from '../fake-stash/database';

function check(file: Buffer): Promise<ArchiveFindings> {
  return checkArchive({ source: file, bytes: file.length }, () => undefined);
}

/** Returns the files of a backup, one of which is changed. */
function changed(index: number, change: Partial<ArchivedFile>): ArchivedFile[] {
  return filesOf().map((file, at) => (at === index ? { ...file, ...change } : file));
}

/** Returns a change of a record at a place. */
function byte(at: number, value: number) {
  return (record: Buffer) => {
    record.writeUInt8(value, at);
  };
}

/** Returns the entry of a folder. */
function folder(name: string): ArchivedFile {
  return { name: `${name}/`, content: Buffer.of(), isStored: true, hasSizes: true, list: UNIX(0o040755) };
}

/** Returns a file whose entry leads to the content of the first file of the archive. */
function shared(name: string, first: ArchivedFile): ArchivedFile {
  const { content } = first;
  return {
    name,
    content,
    isStored: true,
    packed: Buffer.of(),
    list: (record) => {
      record.writeUInt32LE(content.length, 20);
      record.writeUInt32LE(0, 42);
    },
  };
}

const UNIX = (mode: number) => (record: Buffer) => {
  record.writeUInt32LE((mode << 16) >>> 0, 38);
};

const LARGE = { name: 'stash-go.sqlite', content: database({ bytes: 300_000 }) };

describe('An archive with the database and its pictures', () => {
  const sound: [what: string, options: ArchiveOptions][] = [
    ['as Stash makes it', {}],
    ['with zip64 records', { isZip64: true }],
    [
      'whose files are stored, or have their sizes before them',
      { files: changed(1, { isStored: true, hasSizes: true }) },
    ],
    ['with a database larger than what is read at once', { files: filesOf(database({ bytes: 300_000 })) }],
    ['without a single picture', { files: filesOf().slice(0, 1) }],
    [
      'with a file beside the database',
      { files: [{ name: 'notes.txt', content: Buffer.from('x') }, ...filesOf()] },
    ],
    ['with an empty file', { files: changed(2, { content: Buffer.alloc(0) }) }],
    ['made on Unix', { files: changed(1, { list: UNIX(0o100644) }) }],
    ['with a name in another script', { files: changed(0, { name: 'дом.sqlite' }) }],
    [
      'with entries for its folders, as Go’s AddFS writes them',
      {
        files: filesOf().flatMap((file) => [
          ...(file.name.startsWith('blobs/') ? [folder(path.posix.dirname(file.name))] : []),
          file,
        ]),
      },
    ],
    [
      'with backslashes between folders, as some programs on Windows write them',
      { files: filesOf().map((file) => ({ ...file, name: file.name.replaceAll('/', '\\') })) },
    ],
    ['with a comment', { comment: Buffer.from('made at night') }],
    [
      'with bytes before, between and after its files',
      {
        files: filesOf().map((file) => ({
          ...file,
          before: Buffer.from('PK\x03\x04'),
          behind: Buffer.of(7),
        })),
        beforeDirectory: Buffer.alloc(9),
      },
    ],
  ];
  for (const [what, options] of sound) {
    it(`passes ${what}`, async () => {
      const { checked, database: number, pictures } = await check(archive(options));
      assert.deepEqual(checked, ['zip', 'header', 'pageCount']);
      const files = (options.files ?? filesOf()).filter(({ name }) => !name.endsWith('/'));
      assert.equal(pictures, files.length - 1, 'folders and the database are no pictures');
      assert.equal(number, options.files?.[0]?.name === 'notes.txt' ? 1 : 0);
    });
  }

  it('is refused as soon as a byte of it is missing or added', async () => {
    const file = archive({ isZip64: true });
    const wrong = [...Array(file.length).keys()]
      .filter((at) => at % 97 === 0)
      .flatMap((at) => [
        Buffer.concat([file.subarray(0, at), file.subarray(at + 1)]),
        Buffer.concat([file.subarray(0, at), Buffer.from([7]), file.subarray(at)]),
      ]);
    for (const each of wrong) {
      await assert.rejects(check(each), ({ case: which }: { case: string }) =>
        which.startsWith('BACKUP_INVALID.'),
      );
    }
  });

  const refused: [what: string, reason: string, number: number, options: ArchiveOptions][] = [
    [
      'a picture has changed',
      'checksum',
      2,
      {
        files: changed(1, {
          packed: deflateRawSync(Buffer.alloc(filesOf()[1]?.content.length ?? 0)),
          list: (record) =>
            record.writeUInt32LE(deflateRawSync(Buffer.alloc(filesOf()[1]?.content.length ?? 0)).length, 20),
        }),
      },
    ],
    [
      'the content cannot be inflated',
      'unreadable',
      2,
      { files: changed(1, { packed: Buffer.alloc(100, 255) }) },
    ],
    [
      'more comes out than it says: a bomb',
      'unreadable',
      2,
      { files: changed(1, { packed: deflateRawSync(Buffer.alloc(50_000_000)) }) },
    ],
    [
      'less comes out than it says',
      'unreadable',
      2,
      { files: changed(1, { packed: deflateRawSync(Buffer.alloc(10)) }) },
    ],
    [
      'two files share their content: a bomb',
      'size',
      2,
      { files: [{ ...LARGE, isStored: true }, shared('blobs/01/1', LARGE), ...filesOf().slice(1)] },
    ],
    ['two files have one name', 'repeated', 3, { files: changed(2, { name: filesOf()[1]?.name ?? '' }) }],
    [
      'two names lead to one file',
      'repeated',
      3,
      { files: changed(2, { name: filesOf()[1]?.name.replace('/', '/.//') ?? '' }) },
    ],
    [
      'there are two databases',
      'repeated',
      5,
      { files: [...filesOf(), { name: 'other.sqlite', content: database() }] },
    ],
    ['a file is a link', 'link', 2, { files: changed(1, { list: UNIX(0o120777) }) }],
    ['a file is a device', 'link', 2, { files: changed(1, { list: UNIX(0o060777) }) }],
    ['a file is encrypted', 'encrypted', 2, { files: changed(1, { list: byte(8, 9), head: byte(6, 9) }) }],
    [
      'a file is packed in another way',
      'method',
      2,
      { files: changed(1, { list: byte(10, 14), head: byte(8, 14) }) },
    ],
    ['a name leads out of the folder', 'unreadable', 2, { files: changed(1, { name: 'blobs/../../1' }) }],
    ['a name is absolute', 'unreadable', 2, { files: changed(1, { name: '/etc/passwd' }) }],
    ['a name is one of Windows', 'unreadable', 2, { files: changed(1, { name: 'blobs\\..\\1' }) }],
    ['a name has a drive', 'unreadable', 2, { files: changed(1, { name: 'C:/1' }) }],
  ];
  for (const [what, reason, number, options] of refused) {
    it(`is refused if ${what}`, async () => {
      await assert.rejects(check(archive(options)), {
        case: 'BACKUP_INVALID.damagedZip',
        details: { number, reason },
      });
    });
  }

  for (const [what, file] of [
    ['it ends early', archive().subarray(0, -30)],
    ['its end is missing', archive().subarray(0, -22)],
    ['something is behind it', Buffer.concat([archive(), Buffer.alloc(1)])],
    ['it is only the beginning', Buffer.from('PK\x03\x04')],
  ] as const) {
    it(`is refused if ${what}`, async () => {
      await assert.rejects(check(file), { case: 'BACKUP_INVALID.brokenZip' });
    });
  }

  it('is refused without a database, also if a picture begins like one', async () => {
    const files = [{ name: 'blobs/01/1', content: database() }];
    await assert.rejects(check(archive({ files })), { case: 'BACKUP_INVALID.noDatabase' });
  });

  it('is refused if its database has other pages than it says', async () => {
    const files = changed(0, { content: database({ bytes: 300_000 }).subarray(0, -4096) });
    await assert.rejects(check(archive({ files })), { case: 'BACKUP_INVALID.wrongSize' });
  });

  it('is read no further once it has to stop', async () => {
    const file = archive();
    let left = 3;
    const reading = checkArchive({ source: file, bytes: file.length }, () => {
      if (left-- <= 0) throw new Error('stop');
    });
    await assert.rejects(reading, { message: 'stop' });
  });
});
