import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { restore, stub } from 'sinon';
import { fetchBackup } from '../../operations/inputs';
import { TestServer, failure, Message, options } from '../../support/connect';
import { type Answer, html, json, redirect, text } from '../../fake-stash/answers';
import { database } from '../../fake-stash/database';
import { cut, cutAfter, type Handler, lengthWrongBy, loseAnswer } from '../../fake-stash/faults';
import { FakeStash } from '../../fake-stash/fake-stash';
import { checkTable, rowsByError } from '../../support/table';
import { words } from '../../support/words';
import { backup, type BackupInput } from '../../../src/operations/backup';

const KEY = 'a-k3y/of+the=server';
const MEBIBYTE = 2 ** 20;
const content = database({ bytes: 2 * MEBIBYTE });
const downloads = { path: '/downloads' };
const binary = (body: Buffer): Answer => ({ status: 200, headers: {}, body });

describe('A failed download leads to a code and a remedy:', () => {
  const found: [cause: string, code: string, text: string][] = [];
  let stash: FakeStash;
  let folder: string;

  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'node-red-stash-')));
    stash = await FakeStash.start({ apiKey: KEY });
    stash.backups.content = content;
  });
  afterEach(async () => {
    restore();
    await stash.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  type Wrong = [what: string, expected: string, prepare: () => unknown, input?: Partial<BackupInput>];
  const comes = (what: Answer | Handler) => () => {
    stash.answerWith(what, downloads);
  };

  const wrong: Wrong[] = [
    ['200 with a web page', 'BACKUP_INVALID.page', comes(html(200, `<!doctype html> ${KEY}`))],
    ['200 with text', 'BACKUP_INVALID.notBackup', comes(text(200, KEY))],
    ['302 to another host', 'NOT_STASH.redirect', comes(redirect('https://auth.example/'))],
    [
      '302 to Stash’s own sign-in page',
      'UNAUTHORIZED.keyRefused',
      comes(redirect('/login?returnURL=%2Fdownloads%2Fx')),
    ],
    [
      'no link',
      'BACKUP_INVALID.noLink',
      () => {
        stash.answerWith(json({ data: { backupDatabase: null } }), { field: 'backupDatabase' });
      },
    ],
    ['an incomplete body', 'BACKUP_INVALID.wrongSize', comes(binary(content.subarray(0, MEBIBYTE)))],
    ['a Content-Length that is too small', 'BACKUP_INVALID.wrongSize', comes(lengthWrongBy(-4096))],
    [
      'a Content-Length that is too large',
      'BACKUP_INVALID.changed',
      () => {
        stash.answerWith(lengthWrongBy(4096), { ...downloads, times: 1 });
      },
    ],
    ['an incomplete zip archive', 'BACKUP_INVALID.brokenZip', comes(text(200, 'PK\x03\x04 and so on'))],
    [
      'a proxy that gives up while Stash makes the backup',
      'OUTCOME_UNKNOWN.downloadGateway',
      () => {
        stash.answerWith(text(504, 'Gateway Timeout'), { field: 'backupDatabase' });
      },
    ],
    [
      'a connection that breaks while Stash makes the backup',
      'OUTCOME_UNKNOWN.download',
      () => {
        stash.answerWith(loseAnswer, { field: 'backupDatabase' });
      },
    ],
    [
      'a connection that breaks, and a server that stops',
      'UNREACHABLE.download',
      () => {
        stash.answerWith(cutAfter(MEBIBYTE), { ...downloads, times: 1 });
        stash.answerWith((...request) => {
          halfAMinutePasses();
          return cut(...request);
        }, downloads);
      },
    ],
    [
      'a server that restarts during the download',
      'BACKUP_INVALID.gone',
      () => {
        stash.answerWith(cutAfter(MEBIBYTE), { ...downloads, times: 1 });
        stash.answerWith(text(404, '404 page not found\n'), downloads);
      },
    ],
    [
      'too large for the message',
      'TOO_LARGE.backup',
      () => undefined,
      { folder: null, messageLimit: MEBIBYTE },
    ],
    [
      'a missing folder',
      'DISK.noFolder',
      () => {
        rmSync(folder, { recursive: true });
      },
    ],
    [
      'a folder without write access',
      'DISK.notAllowed',
      () => stub(fs, 'access').rejects(Object.assign(new Error(), { code: 'EACCES' })),
    ],
    [
      'a folder that is mounted read-only',
      'DISK.readOnly',
      () => stub(fs, 'access').rejects(Object.assign(new Error(), { code: 'EROFS' })),
    ],
    [
      'too little space',
      'DISK.full',
      () =>
        stub(fs, 'statfs').resolves({ bavail: 256, blocks: 9000, bsize: 4096 } as Awaited<
          ReturnType<typeof fs.statfs>
        >),
    ],
    ['a disk that fills up during the download', 'DISK.filled', () => writingFailsWith('ENOSPC')],
    ['a quota that ends during the download', 'DISK.filled', () => writingFailsWith('EDQUOT')],
    ['a file system with a limit for a file', 'DISK.fileTooLarge', () => writingFailsWith('EFBIG')],
    ['a file system with a lower limit for a name', 'DISK.longName', () => writingFailsWith('ENAMETOOLONG')],
    ['a disk that fails during the download', 'DISK.failed', () => writingFailsWith('EIO')],
    [
      'a file of the same name',
      'DISK.exists',
      () => {
        writeFileSync(path.join(folder, 'night.sqlite'), '');
      },
      { filename: { text: 'night.sqlite', isTemplate: true } },
    ],
    [
      'a name outside the folder',
      'BAD_INPUT.badName',
      () => undefined,
      { filename: { text: '../night.sqlite', isTemplate: false } },
    ],
  ];

  for (const [what, expected, prepare, input] of wrong) {
    it(what, async () => {
      const server = new TestServer(options(stash.url, { auth: 'apiKey', apiKey: KEY }));
      try {
        await prepare();
        const before = filesThere();
        const error = await failure(backup(server, { ...fetchBackup, folder, ...input }, new Message()));
        assert.equal(error.case, expected);
        assert.deepEqual(filesThere(), before, 'no file is left');
        const message = ['text', 'remedy']
          .map((part) => words('server', `errors.${error.case}.${part}`, error.details))
          .join(' ');
        assert.ok(!message.includes(KEY));
        const shown = message.replaceAll(stash.url, 'http://nas:9999').replaceAll(folder, '/backups/stash');
        found.push([what, error.code, shown]);
      } finally {
        await server.close();
      }
    });
  }

  it('the table in docs/wrong-answers.md lists all of them', () => {
    const head = ['error', 'code', 'what went wrong'];
    checkTable('docs/wrong-answers.md', 'wrong-downloads', [head, ...rowsByError(found)]);
  });

  function filesThere(): string[] {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  }

  /** Lets the time pass after which a link expires. */
  function halfAMinutePasses(): void {
    const now = performance.now.bind(performance);
    restore();
    stub(performance, 'now').callsFake(() => now() + 30_000);
  }

  async function writingFailsWith(code: string): Promise<void> {
    const other = await fs.open(path.join(folder, 'other'), 'w');
    const prototype = Object.getPrototypeOf(other) as typeof other;
    await other.close();
    stub(prototype, 'writev').rejects(Object.assign(new Error(code), { code }));
  }
});
