import assert from 'node:assert/strict';
import { canQuickCheck } from '../../src/backups/quick-check';
import { archive, type ArchivedFile, filesOf } from '../fake-stash/archive';
import { damaged, database } from '../fake-stash/database';
import { Backups, failureOf, savedOf } from './backups';

/** Returns a file that cannot be unpacked. */
const unreadable = (file: ArchivedFile) => ({ ...file, packed: Buffer.alloc(100, 255) });

const WHOLE = ['length', 'zip', 'header', 'pageCount'];

describe('A backup with the pictures', () => {
  const backups = new Backups({ release: 'v0.31.0' });
  const asked = () =>
    backups.stash.requests
      .filter(({ operation }) => operation === 'backupDatabase')
      .map(({ body }) => body?.variables?.['input']);

  it('is an archive with the database and the pictures', async () => {
    const flow = await backups.start({ includeBlobs: true });
    const { filename, checked, schema } = savedOf(await flow.ask());

    assert.match(filename, /\.zip$/);
    assert.deepEqual(checked, WHOLE);
    assert.equal(schema, backups.stash.quirks.appSchema);
    assert.deepEqual(backups.read(filename), archive());
    assert.deepEqual(asked(), [{ download: true, includeBlobs: true }]);
  });

  it('is an archive in the message, too', async () => {
    const flow = await backups.start({ includeBlobs: true, folder: '', folderType: 'message' });
    const { msg } = await flow.ask();
    assert.deepEqual(msg.payload, archive());
    assert.deepEqual((msg.stash?.['backup'] as { checked: string[] }).checked, WHOLE);
  });

  it('stays on the disk of the server if it is not downloaded', async () => {
    const flow = await backups.start({ includeBlobs: true, download: false });
    await flow.ask();
    assert.deepEqual(asked(), [{ download: false, includeBlobs: true }]);
  });

  it('is a plain database if the server keeps the pictures in there', async () => {
    backups.stash.backups.blobsStorage = 'DATABASE';
    const flow = await backups.start({ includeBlobs: true });
    assert.deepEqual(savedOf(await flow.ask()).checked, ['length', 'header', 'pageCount']);
    assert.deepEqual(asked(), [{ download: true }]);
  });

  for (const [what, content, expected] of [
    ['a plain database', database(), 'noPictures'],
    ['an archive without a database', archive({ files: filesOf().slice(1) }), 'noDatabase'],
    ['a damaged archive', archive({ files: filesOf().map(unreadable) }), 'damagedZip'],
    ['an archive that is cut off', archive().subarray(0, -50), 'brokenZip'],
  ] as const) {
    for (const [where, more] of [
      ['a folder', {}],
      ['the message', { folder: '', folderType: 'message' }],
    ] as const) {
      it(`is refused, and nothing of it is kept, if ${what} arrives for ${where}`, async () => {
        backups.stash.backups.answers = content;
        const flow = await backups.start({ includeBlobs: true, ...more });
        assert.equal(failureOf(await flow.ask()).case, `BACKUP_INVALID.${expected}`);
        assert.deepEqual(backups.files(), []);
      });
    }
  }

  if (canQuickCheck()) {
    it('is read by SQLite, which needs its database as a file of its own for a while', async () => {
      const flow = await backups.start({ includeBlobs: true, quickCheck: true });
      const { checked, filename } = savedOf(await flow.ask());
      assert.deepEqual(checked, [...WHOLE, 'quickCheck']);
      assert.deepEqual(backups.files(), [filename]);
    });

    it('is refused if SQLite finds damage in its database, from Node.js 24 on', async function () {
      if (Number(process.versions.node.split('.')[0]) < 24) this.skip();
      const broken = damaged(database({ bytes: 100_000, studios: ['Amber Lantern Pictures'] }));
      backups.stash.backups.content = broken;
      const flow = await backups.start({ includeBlobs: true, quickCheck: true });
      assert.equal(failureOf(await flow.ask()).case, 'BACKUP_INVALID.damaged');
      assert.deepEqual(backups.files(), []);
    });
  }

  it('is not displaced by later ones without the pictures', async () => {
    backups.stash.clock.stop();
    const flow = await backups.start({ includeBlobs: true, keep: '1' });
    const { filename } = savedOf(await flow.ask());
    await flow.redeploy(backups.flowWith({ keep: '1' }));
    const plain = [];
    for (let count = 0; count < 2; count++) {
      backups.stash.clock.ahead += 1000;
      plain.push(savedOf(await flow.ask()));
    }
    assert.deepEqual(plain[1]?.removed, [plain[0]?.filename]);
    assert.ok(backups.files().includes(filename));
  });
});

describe('A backup with the pictures of a Stash before v0.31', () => {
  const backups = new Backups({ release: 'v0.30.1' });

  it('is UNSUPPORTED, and nothing is backed up', async () => {
    const flow = await backups.start({ includeBlobs: true });
    assert.equal(failureOf(await flow.ask()).case, 'UNSUPPORTED.lacking');
    assert.ok(!backups.stash.requests.some(({ operation }) => operation === 'backupDatabase'));
  });
});
