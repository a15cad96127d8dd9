import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { inspect } from 'node:util';
import sinon from 'sinon';
import { askedWords, type Flow } from '../../support/flow';
import { helper, runtime } from '../../support/runtime';
import { canQuickCheck } from '../../../src/backups/quick-check';
import { archive } from '../../fake-stash/archive';
import { database } from '../../fake-stash/database';
import { answerLate, cutAfter, lengthUntold, silence, slowly } from '../../fake-stash/faults';
import { FakeStash } from '../../fake-stash/fake-stash';
import { Backups, checksIn, downloads, failureOf, GIVEN_NAME, savedOf, sha256Of } from './backups';

const MEBIBYTE = 1024 * 1024;

describe('stash-backup', () => {
  const backups = new Backups();

  describe('with download off', () => {
    it('makes a backup on the disk of the server', async () => {
      const flow = await backups.start({ download: false });
      const { output, msg } = await flow.ask();

      assert.equal(output, 1);
      const { seconds, ...rest } = msg.payload as { seconds: number };
      assert.ok(seconds >= 0 && seconds < 5);
      assert.deepEqual(rest, { checked: false });
      assert.equal(msg.stash?.operation, 'backupDatabase');
      assert.equal(msg.stash['backup'], undefined);
      const made = backups.stash.requests.find(({ operation }) => operation === 'backupDatabase');
      assert.deepEqual(made?.body?.variables, { input: { download: false } });
      assert.deepEqual(backups.files(), []);
    });

    it('needs no folder and no file name', async () => {
      const flow = await backups.start({
        download: false,
        folder: '',
        filename: '../x',
        filenameType: 'str',
      });
      assert.equal((await flow.ask()).output, 1);
    });

    it('states its duration in the summary, unless that is below 0.1 s', async () => {
      for (const milliseconds of [0, 200]) {
        // A node does not ask for the same words twice in a row.
        await helper.unload();
        const flow = await backups.start({ download: false });
        // A server makes no second backup in the same second.
        backups.stash.clock.ahead += 1000;
        backups.stash.answerWith(answerLate(milliseconds), { field: 'backupDatabase', times: 1 });
        const { seconds } = (await flow.ask()).msg.payload as { seconds: number };
        assert.equal(
          askedWords.some(({ key }) => key === 'detail.time'),
          seconds >= 0.1,
        );
        assert.ok(milliseconds === 0 || seconds >= 0.1);
      }
    });

    it('works in NEEDS_MIGRATION, but not in SETUP', async () => {
      const flow = await backups.start({ download: false });
      backups.stash.status = 'SETUP';
      assert.equal((await flow.ask()).msg.error?.code, 'SERVER_STATE');
      assert.equal(backups.made(), 0);
      backups.stash.status = 'NEEDS_MIGRATION';
      assert.equal((await flow.ask()).output, 1);
    });
  });

  describe('into a folder', () => {
    it('downloads the backup and returns its details', async () => {
      const { content } = backups.stash.backups;
      const flow = await backups.start();
      const ended = await flow.ask({ topic: 'kept' });
      const { seconds, filename, ...rest } = savedOf(ended);

      assert.match(filename, GIVEN_NAME);
      assert.ok(seconds > 0 && seconds < 5);
      assert.deepEqual(rest, {
        path: backups.place(filename),
        bytes: content.length,
        sha256: sha256Of(content),
        checked: ['length', 'header', 'pageCount'],
        pictures: null,
        schema: 75,
      });
      assert.equal(ended.msg['topic'], 'kept');
      assert.deepEqual(Object.keys(ended.msg.stash ?? {}), ['server', 'operation', 'summary']);
      assert.equal(ended.msg.stash?.operation, 'backupDatabase');
      assert.deepEqual(backups.ranges(), [undefined]);
      const request = backups.stash.requests.find(({ operation }) => operation === 'backupDatabase');
      assert.deepEqual(request?.body?.variables, { input: { download: true } });
    });

    it('leaves one file, which only the user of Node-RED can read', async () => {
      const flow = await backups.start();
      const { filename } = savedOf(await flow.ask());

      assert.deepEqual(backups.files(), [filename]);
      assert.deepEqual(backups.read(filename), backups.stash.backups.content);
      if (process.platform !== 'win32') assert.equal(statSync(backups.place(filename)).mode & 0o777, 0o600);
    });

    it('accepts an archive', async () => {
      backups.stash.backups.content = archive();
      const flow = await backups.start({ quickCheck: true });
      const ended = await flow.ask();

      assert.deepEqual(savedOf(ended).checked.slice(0, 4), ['length', 'zip', 'header', 'pageCount']);
      assert.deepEqual(ended.msg.stash?.missing, canQuickCheck() ? undefined : ['quickCheck']);
    });

    it('keeps all of several simultaneous backups', async () => {
      backups.stash.clock.stop();
      backups.stash.backups.content = database({ bytes: 3 * MEBIBYTE });
      const flow = await backups.start();
      const ids = [1, 2, 3, 4].map(() => flow.send());
      await flow.until(() => ids.every((id) => flow.hasEnded(id)));

      const paths = ids.map((id) => savedOf(flow.endOf(id)).path);
      assert.equal(new Set(paths).size, 4);
      assert.equal(backups.files().length, 4);
      for (const file of paths) assert.ok(readFileSync(file).equals(backups.stash.backups.content));
    });

    it('sanitizes the file name from the server', async () => {
      backups.stash.backups.databaseName = '..my: "database"?';
      const flow = await backups.start();
      const { filename, schema } = savedOf(await flow.ask());

      assert.match(filename, /^my- -database--\.75\.\d{8}_\d{6}$/);
      assert.equal(schema, 75);
      assert.deepEqual(backups.files(), [filename]);
    });

    it('downloads from a server below a sub-path', async () => {
      const below = await FakeStash.start({ basePath: '/stash' });
      const flow = await backups.start({}, { url: `${below.url}/` });
      savedOf(await flow.ask());
      await below.stop();
    });
  });

  describe('takes the folder', () => {
    afterEach(() => {
      delete process.env['STASH_TEST_BACKUPS'];
    });

    it('never from a property of the message', async () => {
      const flow = await backups.start();
      const others = { path: '/', folder: '/', filename: '../x', download: false, overwrite: true };
      savedOf(await flow.ask({ ...others, payload: others, stash: others }));
      assert.equal(backups.files().length, 1);
    });

    const wrong: [what: string, which: string, folder: () => string][] = [
      ['a relative path', 'BAD_INPUT.notAbsolute', () => 'backups'],
      ['a missing folder, which is not created', 'DISK.noFolder', () => backups.place('missing')],
    ];
    for (const [what, which, folder] of wrong) {
      it(`but refuses ${what} before any request`, async () => {
        writeFileSync(backups.outside('file'), '');
        const flow = await backups.start({ folder: folder() });
        assert.equal(failureOf(await flow.ask()).case, which);
        assert.deepEqual(backups.stash.requests, []);
        assert.deepEqual(backups.files(), []);
        await flow.until(
          () => flow.firstStatus?.fill === 'red' || flow.statuses.some(({ fill }) => fill === 'red'),
        );
      });
    }
  });

  it('shows no mistake of before a deploy, although a slow share reports it only afterwards', async () => {
    const real = fs.realpath as (file: string) => Promise<string>;
    let answer = () => {};
    const told = new Promise<void>((resolve) => (answer = resolve));
    const missing = backups.place('missing');
    const slow = sinon.stub(fs, 'realpath').callsFake((async (file: string) => {
      if (file === missing) await told;
      return await real(file);
    }) as never);
    try {
      const flow = await backups.start({ folder: missing });
      await flow.redeploy(backups.flowWith());
      answer();
      await assert.rejects(slow.firstCall.returnValue);
      // The first status of the new node, and a message that would change it.
      await flow.ask();
      assert.ok(flow.statuses.every(({ fill }) => fill !== 'red'));
    } finally {
      slow.restore();
    }
  });

  describe('takes the file name', () => {
    it('from a template with placeholders for date, time, server and schema', async () => {
      const flow = await backups.start(
        { filename: '{server} {date} {time} schema {schema} {x}.sqlite', filenameType: 'str' },
        { name: 'my/nas' },
      );
      const before = new Date();
      const { filename } = savedOf(await flow.ask());

      const [, date = '', time = ''] =
        /^my-nas (\d{4}-\d\d-\d\d) (\d\d-\d\d-\d\d) schema 75 \{x\}\.sqlite$/.exec(filename) ?? [];
      const named = new Date(`${date}T${time.replaceAll('-', ':')}`).getTime();
      assert.ok(named >= before.getTime() - 1000 && named <= Date.now(), filename);
      assert.deepEqual(backups.files(), [filename]);
    });

    it('from a message, without placeholders', async () => {
      const flow = await backups.start({ filename: 'name', filenameType: 'msg' });
      assert.equal(savedOf(await flow.ask({ name: 'of {date}' })).filename, 'of {date}');
    });

    for (const name of ['../x', '', 5, undefined]) {
      it(`but refuses ${inspect(name).slice(0, 50)} before any request`, async () => {
        const flow = await backups.start({ filename: 'name', filenameType: 'msg' });
        assert.equal((await flow.ask({ name })).msg.error?.code, 'BAD_INPUT');
        assert.deepEqual(backups.stash.requests, []);
        assert.deepEqual(backups.files(), []);
      });
    }
  });

  describe('with a file name that exists', () => {
    const named = { filename: 'night.sqlite', filenameType: 'str' };

    it('fails before any request and keeps the file', async () => {
      backups.put('night.sqlite');
      const flow = await backups.start(named);
      const { case: which, details } = failureOf(await flow.ask());

      assert.deepEqual([which, details], ['DISK.exists', { name: 'night.sqlite', folder: backups.folder }]);
      assert.deepEqual(backups.stash.requests, []);
      assert.equal(backups.read('night.sqlite').toString(), 'an older one');
      assert.deepEqual(backups.files(), ['night.sqlite']);
    });

    it('keeps the file and does not download if the name is known only after the backup', async () => {
      backups.put('night 75');
      const flow = await backups.start({ ...named, filename: 'night {schema}' });
      assert.equal(failureOf(await flow.ask()).case, 'DISK.exists');
      assert.deepEqual([backups.made(), backups.fetches().length], [1, 0]);
      assert.equal(backups.read('night 75').toString(), 'an older one');
    });

    it('keeps a file that appears during the download', async () => {
      backups.stash.answerWith((request, response, body, execute) => {
        backups.put('night.sqlite');
        return lengthUntold(request, response, body, execute);
      }, downloads);
      const flow = await backups.start(named);
      assert.equal(failureOf(await flow.ask()).case, 'DISK.exists');
      assert.equal(backups.read('night.sqlite').toString(), 'an older one');
      assert.deepEqual(backups.files(), ['night.sqlite']);
    });

    it('replaces the file if the dialog allows it', async () => {
      backups.put('night.sqlite');
      const flow = await backups.start({ ...named, overwrite: true });
      assert.equal(savedOf(await flow.ask()).filename, 'night.sqlite');

      assert.deepEqual(backups.read('night.sqlite'), backups.stash.backups.content);
      assert.deepEqual(backups.files(), ['night.sqlite']);
      if (process.platform !== 'win32') {
        assert.equal(statSync(backups.place('night.sqlite')).mode & 0o777, 0o600);
      }
    });
  });

  describe('into a message', () => {
    const intoMessage = { folderType: 'message' };

    it('returns the backup as payload, with its details in msg.stash', async () => {
      const content = database({ bytes: 3 * MEBIBYTE });
      backups.stash.backups.content = content;
      const flow = await backups.start(intoMessage);
      const { output, msg } = await flow.ask();

      assert.equal(output, 1);
      assert.ok(Buffer.isBuffer(msg.payload) && msg.payload.equals(content));
      const { seconds, filename, ...rest } = msg.stash?.['backup'] as { seconds: number; filename: string };
      assert.match(filename, GIVEN_NAME);
      assert.ok(seconds > 0 && seconds < 5);
      assert.deepEqual(rest, {
        bytes: content.length,
        sha256: sha256Of(content),
        checked: ['length', 'header', 'pageCount'],
        pictures: null,
        schema: 75,
      });
      assert.deepEqual(backups.files(), []);
    });

    it('uses the file name in the dialog', async () => {
      const flow = await backups.start({ ...intoMessage, filename: '{schema}.sqlite', filenameType: 'str' });
      const { msg } = await flow.ask();
      assert.equal((msg.stash?.['backup'] as { filename: string }).filename, '75.sqlite');
    });

    it('accepts a backup up to the limit', async () => {
      backups.stash.backups.content = database({ bytes: MEBIBYTE });
      const flow = await backups.start({ ...intoMessage, messageLimit: '1' });
      assert.equal((await flow.ask()).output, 1);
    });

    it('refuses a larger backup as soon as its length is known', async () => {
      backups.stash.backups.content = database({ bytes: MEBIBYTE + 1 });
      backups.stash.answerWith(slowly(10_000), downloads);
      const flow = await backups.start({ ...intoMessage, messageLimit: '1' });
      const ended = await flow.ask({ payload: 'mine' });

      const { case: which, details } = failureOf(ended);
      assert.deepEqual([which, details], ['TOO_LARGE.backup', { size: '1 MiB', limit: '1 MiB' }]);
      assert.equal(ended.msg.payload, 'mine');
      await flow.until(() => backups.fetches().every(({ endedAt }) => endedAt < Infinity));
      assert.equal(backups.fetches().length, 1);
    });

    it('stops at the limit if the length of a larger backup is unknown', async () => {
      backups.stash.backups.content = database({ bytes: 100 * MEBIBYTE });
      backups.stash.answerWith(lengthUntold, downloads);
      const flow = await backups.start({ ...intoMessage, messageLimit: '1' });
      assert.equal(failureOf(await flow.ask()).case, 'TOO_LARGE.backup');
      await flow.until(() => backups.fetches().every(({ endedAt }) => endedAt < Infinity));
      assert.equal(backups.fetches().length, 1);
    });
  });

  describe('sends to its second output', () => {
    it('progress, and nothing more after the result', async () => {
      const content = database({ bytes: 300_000 });
      backups.stash.backups.content = content;
      backups.stash.answerWith(slowly(250_000), downloads);
      const flow = await backups.start();
      const id = flow.send({ topic: 'kept' });
      await flow.until(() => flow.hasEnded(id));

      const [first, ...more] = flow.progressOf(id);
      assert.ok(first && more.length <= 1);
      assert.equal(first['topic'], 'kept');
      const { percent, bytes, total, bytesPerSecond } = first.payload as Record<string, number>;
      assert.equal(total, content.length);
      assert.ok(bytes !== undefined && bytes > 50_000 && bytes < content.length);
      assert.equal(percent, Math.floor((100 * bytes) / content.length));
      assert.ok(bytesPerSecond !== undefined && bytesPerSecond > 50_000 && bytesPerSecond < 500_000);
      savedOf(flow.endOf(id));
      assert.equal(flow.sent.at(-1), flow.endOf(id).msg);
      assert.ok(flow.statuses.some(({ text }) => /percent · .*\/s$/.test(text ?? '')));
    });

    it('nothing while no data arrives, and shows that in the status', async () => {
      backups.stash.backups.content = database({ bytes: 300_000 });
      backups.stash.answerWith(cutAfter(200_000), { ...downloads, times: 1 });
      backups.stash.answerWith(silence, downloads);
      const flow = await backups.start();
      const id = flow.send();
      // A progress message would arrive before the status, which waits for the end of its second.
      await flow.until(() => flow.statuses.some(({ text }) => text?.endsWith('progress.noData')));
      const received = flow.progressOf(id).map(({ payload }) => (payload as { bytes: number }).bytes);
      assert.deepEqual(received, [200_000]);
    });

    it('no percentage if the length of the backup is unknown', async () => {
      backups.stash.backups.content = database({ bytes: 300_000 });
      backups.stash.answerWith(async (request, response, body, execute) => {
        const { headers, ...answer } = await execute();
        response.writeHead(answer.status, headers).write(answer.body.slice(0, 100_000));
        setTimeout(() => response.end(answer.body.slice(100_000)), 1100);
      }, downloads);
      const flow = await backups.start();
      const id = flow.send();
      await flow.until(() => flow.hasEnded(id));

      const [first] = flow.progressOf(id);
      const { percent, bytes, total } = first?.payload as Record<string, unknown>;
      assert.deepEqual([percent, bytes, total], [null, 100_000, null]);
      savedOf(flow.endOf(id));
    });
  });

  describe('with a quick check', () => {
    const quickCheck = { quickCheck: true };
    const hasSqlite = !runtime.includes('4.1');

    if (hasSqlite) {
      it('asks SQLite to check the backup', async () => {
        backups.stash.backups.content = database({ bytes: MEBIBYTE, studios: ['Aurora', 'Borealis'] });
        const flow = await backups.start(quickCheck);
        const ended = await flow.ask();
        assert.deepEqual(savedOf(ended).checked, ['length', 'header', 'pageCount', 'quickCheck']);
        assert.equal(ended.msg.stash?.missing, undefined);
        assert.deepEqual(backups.files(), [savedOf(ended).filename]);
      });

      describe('that would take hours', () => {
        const studios = Array.from({ length: 20_000 }, () => 'Aurora');
        const content = database({ studios, isSlowToCheck: true });

        /** Sends a message, and resolves while SQLite checks its backup. */
        async function check(server: object = {}): Promise<{ flow: Flow; id: string }> {
          backups.stash.backups.content = content;
          const flow = await backups.start(quickCheck, server);
          const id = flow.send();
          await flow.until(() => flow.statuses.some(({ text }) => text?.endsWith('checking')));
          await flow.until(() => checksIn(backups.folder).length === 1);
          return { flow, id };
        }

        /** Waits until neither the backup nor its check is left. */
        async function leavesNothing(flow: Flow): Promise<void> {
          await flow.until(() => checksIn(backups.folder).length === 0 && backups.files().length === 0);
        }

        it('ends at once on a reset, and leaves no file', async () => {
          const { flow, id } = await check();
          const reset = flow.send({ reset: true });
          await flow.until(() => flow.isDropped(id) && flow.isDropped(reset));
          await leavesNothing(flow);
        });

        it('ends with TIMEOUT at the time limit for backups, and leaves no file', async () => {
          const { flow, id } = await check({ backupTimeout: '2' });
          await flow.until(() => flow.hasEnded(id));
          const { case: which, details, retry } = failureOf(flow.endOf(id));
          assert.deepEqual([which, details, retry], ['TIMEOUT.check', { seconds: 2 }, false]);
          await leavesNothing(flow);
        });

        it('reports that its process was killed', async () => {
          const { flow, id } = await check();
          for (const pid of checksIn(backups.folder)) process.kill(pid, 'SIGKILL');
          await flow.until(() => flow.hasEnded(id));
          const { case: which, details } = failureOf(flow.endOf(id));
          assert.deepEqual([which, details], ['BACKUP_INVALID.unchecked', { reason: 'SIGKILL' }]);
          await leavesNothing(flow);
        });

        it('runs in a process without environment variables', async function () {
          if (process.platform !== 'linux') this.skip();
          const { flow } = await check();
          const [pid] = checksIn(backups.folder);
          const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
          // Node.js itself passes on the folder for its coverage.
          const names = environment.filter((one) => one !== '' && !one.startsWith('NODE_V8_COVERAGE='));
          assert.deepEqual(names, []);
          await flow.redeploy({ ...backups.flowWith(quickCheck), without: 'deleted' });
          await leavesNothing(flow);
        });
      });
    } else {
      it('appears as missing if Node.js has no SQLite', async () => {
        const flow = await backups.start(quickCheck);
        const ended = await flow.ask();
        assert.deepEqual(savedOf(ended).checked, ['length', 'header', 'pageCount']);
        assert.deepEqual(ended.msg.stash?.missing, ['quickCheck']);
      });
    }
  });
});
