import assert from 'node:assert/strict';
import { canQuickCheck } from '../../../src/backups/quick-check';
import { archive, type ArchivedFile, filesOf } from '../../fake-stash/archive';
import { database } from '../../fake-stash/database';
import { askedWords, type Flow } from '../../support/flow';
import { Backups, failureOf, type Saved, savedOf } from './backups';

/** Returns a file that cannot be unpacked. */
const unreadable = (file: ArchivedFile) => ({ ...file, packed: Buffer.alloc(100, 255) });

/** Returns an archive with the database and so many pictures. */
const archiveWith = (pictures: number) => archive({ files: filesOf().slice(0, 1 + pictures) });

const WHOLE = ['length', 'zip', 'header', 'pageCount'];

describe('A backup with the pictures', () => {
  const backups = new Backups({ release: 'v0.31.0' });
  const asked = () =>
    backups.stash.requests
      .filter(({ operation }) => operation === 'backupDatabase')
      .map(({ body }) => body?.variables?.['input']);

  it('is an archive with the database and the pictures', async () => {
    const flow = await backups.start({ includeBlobs: true });
    const ended = await flow.ask();
    const { filename, checked, pictures, schema } = savedOf(ended);

    assert.match(filename, /\.zip$/);
    assert.deepEqual([checked, pictures], [WHOLE, 3]);
    assert.ok(askedWords.some(({ key, values }) => key === 'detail.pictures' && values['count'] === 3));
    assert.equal(ended.msg.stash?.missing, undefined);
    assert.equal(schema, backups.stash.quirks.appSchema);
    assert.deepEqual(backups.read(filename), archive());
    assert.deepEqual(asked(), [{ download: true, includeBlobs: true }]);
  });

  it('is an archive in the message, too', async () => {
    const flow = await backups.start({ includeBlobs: true, folder: '', folderType: 'message' });
    const { msg } = await flow.ask();
    assert.deepEqual(msg.payload, archive());
    const { checked, pictures } = msg.stash?.['backup'] as Saved;
    assert.deepEqual([checked, pictures], [WHOLE, 3]);
  });

  it('stays on the disk of the server if it is not downloaded', async () => {
    const flow = await backups.start({ includeBlobs: true, download: false });
    await flow.ask();
    assert.deepEqual(asked(), [{ download: false, includeBlobs: true }]);
  });

  it('is a plain database if the server keeps the pictures in there', async () => {
    backups.stash.backups.blobsStorage = 'DATABASE';
    const flow = await backups.start({ includeBlobs: true });
    const ended = await flow.ask();
    const { checked, pictures } = savedOf(ended);
    assert.deepEqual([checked, pictures], [['length', 'header', 'pageCount'], null]);
    assert.equal(ended.msg.stash?.missing, undefined);
    assert.deepEqual(asked(), [{ download: true }]);
  });

  for (const [what, where, content, expected, more] of [
    [
      'an archive without a database',
      'the message',
      archive({ files: filesOf().slice(1) }),
      'noDatabase',
      { folder: '', folderType: 'message' },
    ],
    ['a damaged archive', 'a folder', archive({ files: filesOf().map(unreadable) }), 'damagedZip', {}],
  ] as const) {
    it(`is refused, and nothing of it is kept, if ${what} arrives for ${where}`, async () => {
      backups.stash.backups.answers = content;
      const flow = await backups.start({ includeBlobs: true, ...more });
      assert.equal(failureOf(await flow.ask()).case, `BACKUP_INVALID.${expected}`);
      assert.deepEqual(backups.files(), []);
    });
  }

  if (canQuickCheck()) {
    it('is read by SQLite, which needs its database as a file of its own for a while', async () => {
      const flow = await backups.start({ includeBlobs: true, quickCheck: true });
      const { checked, filename } = savedOf(await flow.ask());
      assert.deepEqual(checked, [...WHOLE, 'quickCheck']);
      assert.deepEqual(backups.files(), [filename]);
    });
  }

  it('does not replace a file that has far more pictures, without a rule for what to keep', async () => {
    const named = { filename: 'stash.zip', filenameType: 'str', overwrite: true };
    const flow = await backups.start({ includeBlobs: true, ...named });
    await flow.ask();
    backups.stash.backups.answers = archiveWith(1);
    const ended = await flow.ask();
    assert.deepEqual([savedOf(ended).filename, ended.msg.stash?.missing], ['stash-2.zip', ['includeBlobs']]);
    assert.deepEqual(backups.read('stash.zip'), archive());
  });

  describe('that keeps one', () => {
    let flow: Flow;

    beforeEach(async () => {
      backups.stash.clock.stop();
      flow = await backups.start({ includeBlobs: true, keep: '1' });
    });

    /** Makes a backup under a name of its own. */
    async function made(answer?: Buffer) {
      backups.stash.backups.answers = answer;
      backups.stash.clock.ahead += 1000;
      const ended = await flow.ask();
      return { msg: ended.msg, ...savedOf(ended) };
    }

    for (const [what, content, expected] of [
      ['under half of the pictures of the last one', archiveWith(1), ['fewPictures', { count: 1, last: 3 }]],
      ['none of the pictures because it is a plain database', database(), ['noPictures', {}]],
    ] as const) {
      it(`shows a yellow ring for a backup with ${what}, and does not delete the last one for it`, async () => {
        const whole = await made();
        const first = await made(content);
        assert.deepEqual(first.removed, []);
        assert.deepEqual(first.msg.stash?.missing, ['includeBlobs']);
        const said = askedWords.filter(({ key }) => /detail\..*[pP]ictures/.test(key)).at(-1);
        assert.deepEqual([said?.key, said?.values], [`detail.${expected[0]}`, expected[1]]);
        await flow.until(() => flow.statuses.at(-1)?.text === 'status.noPictures');
        assert.deepEqual(flow.statuses.at(-1), { fill: 'yellow', shape: 'ring', text: 'status.noPictures' });

        assert.deepEqual((await made(content)).removed, [first.filename]);
        assert.ok(backups.files().includes(whole.filename));
        assert.deepEqual((await made()).removed, [whole.filename]);
      });
    }

    it('deletes the last one for a backup with half of its pictures or more', async () => {
      const whole = await made();
      const { pictures, removed, msg } = await made(archiveWith(2));
      assert.deepEqual([pictures, removed, msg.stash?.missing], [2, [whole.filename], undefined]);
    });

    it('does not delete the last one for a plain backup', async () => {
      const whole = await made();
      await flow.redeploy(backups.flowWith({ keep: '1' }));
      const plain = await made();
      assert.deepEqual((await made()).removed, [plain.filename]);
      assert.ok(backups.files().includes(whole.filename));
    });
  });

  for (const [text, expected, where, place] of [
    ['night {schema}.sqlite', 'night 85.sqlite.zip', 'a folder', {}],
    ['Night.ZIP', 'Night.ZIP', 'the message', { folder: '', folderType: 'message' }],
  ] as const) {
    it(`is named ${expected} if the dialog says ${text}, in ${where}`, async () => {
      const named = { filename: text, filenameType: 'str' };
      const flow = await backups.start({ includeBlobs: true, ...named, ...place });
      const { msg } = await flow.ask();
      assert.equal(((msg.stash?.['backup'] ?? msg.payload) as Saved).filename, expected);
    });
  }

  it('gets no other name if it is a plain database', async () => {
    backups.stash.backups.answers = database();
    const named = { filename: 'night.sqlite', filenameType: 'str' };
    const flow = await backups.start({ includeBlobs: true, ...named });
    assert.equal(savedOf(await flow.ask()).filename, 'night.sqlite');
  });

  it('fails before Stash makes it if its name with .zip is taken', async () => {
    backups.put('night.zip');
    const flow = await backups.start({ includeBlobs: true, filename: 'night', filenameType: 'str' });
    const { case: which, details } = failureOf(await flow.ask());
    assert.deepEqual([which, details['name'], backups.made()], ['DISK.exists', 'night.zip', 0]);
  });

  it('shows a yellow ring if it arrives in the message without them', async () => {
    backups.stash.backups.answers = archiveWith(0);
    const flow = await backups.start({ includeBlobs: true, folder: '', folderType: 'message' });
    const { msg } = await flow.ask();
    assert.deepEqual(msg.stash?.missing, ['includeBlobs']);
    await flow.until(() => flow.statuses.at(-1)?.text === 'status.noPictures');
    assert.equal(flow.statuses.at(-1)?.fill, 'yellow');
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
