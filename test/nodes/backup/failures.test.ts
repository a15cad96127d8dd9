import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Flow } from '../../support/flow';
import { helper } from '../../support/runtime';
import { RawServer } from '../../support/raw-server';
import { json, send, text } from '../../fake-stash/answers';
import { database } from '../../fake-stash/database';
import { cutAfter, freezeAfter, type Handler, wholeAgain } from '../../fake-stash/faults';
import { Backups, downloads, type Failure, failureOf, savedOf } from './backups';
import { MANIFEST_OWNER, TempFile } from '../../../src/backups/folder';
import { timing } from '../../../src/timing';

/** A key with characters that change when they are URL-encoded. */
const KEY = 'canary+key/with=signs.0123456789';

describe('A downloaded backup', () => {
  const backups = new Backups({ apiKey: KEY });
  const content = database({ bytes: 1_000_000 });

  beforeEach(() => {
    backups.stash.backups.content = content;
  });

  const start = (properties: object = {}) =>
    backups.start(properties, { auth: 'apiKey' }, { credentials: { apiKey: KEY } });

  /** Returns the error of a message; checks that no file is left and that no secret is revealed. */
  async function failure(flow: Flow): Promise<Failure> {
    const ended = await flow.ask();
    const error = failureOf(ended);
    assert.deepEqual(backups.files(), []);
    const seen = inspect([ended.msg, flow.statuses, flow.sent, helper.log().args, error], {
      depth: 20,
      maxArrayLength: null,
      maxStringLength: null,
    });
    for (const form of [KEY, encodeURIComponent(KEY), Buffer.from(KEY).toString('base64')]) {
      assert.ok(!seen.includes(form), `not ${form}`);
    }
    return error;
  }

  /** Checks that the folder contains the whole backup after a single request to make one. */
  async function fetched(flow: Flow): Promise<void> {
    const { filename } = savedOf(await flow.ask());
    assert.deepEqual(backups.files(), [filename]);
    assert.ok(backups.read(filename).equals(content));
    assert.equal(backups.made(), 1);
  }

  describe('resumes from the same link', () => {
    it('after a broken connection, with the rest', async () => {
      backups.stash.answerWith(cutAfter(300_000), { ...downloads, times: 1 });
      await fetched(await start());
      assert.deepEqual(backups.ranges(), [undefined, 'bytes=300000-']);
      for (const { headers } of backups.fetches()) assert.equal(headers['apikey'], KEY);
    });

    it('into a message, too', async () => {
      backups.stash.answerWith(cutAfter(300_000), { ...downloads, times: 1 });
      backups.stash.answerWith(wholeAgain(500_000), { ...downloads, times: 1 });
      backups.stash.answerWith(cutAfter(300_000), { ...downloads, times: 1 });
      const flow = await start({ folderType: 'message' });
      const { msg } = await flow.ask();
      assert.ok(Buffer.isBuffer(msg.payload) && msg.payload.equals(content));
      assert.deepEqual(backups.ranges(), [undefined, 'bytes=300000-', 'bytes=500000-', 'bytes=800000-']);
    });

    it('although a reset arrives', async () => {
      backups.stash.answerWith(
        async (...request) => {
          flow.send({ reset: true });
          await cutAfter(300_000)(...request);
        },
        { ...downloads, times: 1 },
      );
      const flow = await start();
      await fetched(flow);
    });
  });

  for (const folderType of ['str', 'message']) {
    it(`fails without a second backup, a file or a secret (${folderType === 'str' ? 'folder' : 'message'})`, async () => {
      backups.stash.answerWith(json({ errors: [{ message: KEY }] }), downloads);
      assert.equal((await failure(await start({ folderType }))).case, 'BACKUP_INVALID.notBackup');
      assert.equal(backups.made(), 1);
    });
  }

  it('is not made again at once after a failure, although a flow sends the failed message again', async () => {
    timing.downloads.rest = 300;
    const arrivals: number[] = [];
    const answer: Handler = (_, response) => {
      arrivals.push(performance.now());
      response.writeHead(504).end('Gateway Timeout');
    };
    backups.stash.answerWith(answer, { field: 'backupDatabase' });
    const flow = await start();
    const { case: which, status, retry } = failureOf(await flow.ask());
    assert.deepEqual([which, status, retry], ['OUTCOME_UNKNOWN.downloadGateway', 504, false]);
    await flow.ask();
    const [first = 0, second = 0] = arrivals;
    assert.ok(second - first >= 300);
    timing.downloads.rest = 60_000;
    const waiting = flow.send();
    flow.send({ reset: true });
    await flow.until(() => flow.isDropped(waiting));
    assert.equal(backups.made(), 2);
  });

  describe('uses only the configured server:', () => {
    let elsewhere: RawServer;

    beforeEach(async () => {
      elsewhere = await RawServer.open(() => ({ status: 200, body: 'SQLite format 3\0' }));
    });
    afterEach(async () => {
      await elsewhere.close();
    });

    it('it uses only the path of a link to another host', async () => {
      backups.stash.answerWith(
        changed((body) => body.replace(backups.stash.url, elsewhere.url)),
        {
          field: 'backupDatabase',
        },
      );
      await fetched(await start());
      assert.deepEqual(elsewhere.requests, []);
    });

    it('it does not request a link to anything but a backup', async () => {
      backups.stash.answerWith(
        changed((body) => body.replace('/downloads/', '/elsewhere/')),
        {
          field: 'backupDatabase',
        },
      );
      assert.equal((await failure(await start())).case, 'BACKUP_INVALID.noLink');
      assert.deepEqual(backups.fetches(), []);
    });
  });

  describe('during a redeploy', () => {
    const options = (name = '') => ({
      ...backups.flowWith({ name }, { auth: 'apiKey' }),
      credentials: { apiKey: KEY },
    });

    it('that deletes the node ends, and leaves no file', async () => {
      backups.stash.backups.content = database({ bytes: 4_000_000 });
      backups.stash.answerWith(freezeAfter(3_000_000), downloads);
      const flow = await start();
      flow.send();
      flow.send();
      await flow.until(() => backups.files().length === 2 && backups.fetches().length === 2);
      await flow.redeploy({ ...options(), without: 'deleted' });
      await flow.until(() => backups.files().length === 0);
      await flow.redeploy(options());
      await flow.until(() => backups.fetches().every(({ endedAt }) => endedAt < Infinity));
      backups.stash.answerNormally();
      savedOf(await flow.ask());
    });

    it('goes on at any moment', async () => {
      backups.stash.backups.content = database({ bytes: 4_000_000 });
      const flow = await start();
      const ended: string[] = [];
      for (let moment = 0; moment < 100; moment += 25) {
        const id = flow.send();
        await sleep(moment);
        await flow.redeploy(options(String(moment)));
        await flow.until(() => flow.hasEnded(id));
        ended.push(savedOf(flow.endOf(id)).filename);
      }
      const files = backups.files();
      assert.deepEqual(files.sort(), ended.sort());
      for (const name of files) assert.ok(backups.read(name).equals(backups.stash.backups.content), name);
    });
  });

  describe('leaves a temp file after a kill of Node-RED, which', () => {
    const nameFor = (node: string) => path.basename(new TempFile('', node).path);
    const own = nameFor('tested');
    const leftovers = [own, nameFor(MANIFEST_OWNER)];
    const others = [nameFor('another'), `${own}.mine`, '.stash-tested-mine.partial', own.slice(1)];
    const putAll = () => {
      for (const name of [...leftovers, ...others]) backups.put(name);
    };
    afterEach(() => {
      delete process.env['STASH_TEST_BACKUPS'];
    });

    it('disappears when the node starts, unlike other files', async () => {
      putAll();
      const flow = await start();
      await flow.until(() => backups.files().length <= others.length);
      assert.deepEqual(backups.files(), others.sort());
      assert.deepEqual(backups.stash.requests, []);
    });

    it('also disappears from a folder that an environment variable names', async () => {
      putAll();
      process.env['STASH_TEST_BACKUPS'] = backups.folder;
      const flow = await start({ folder: 'STASH_TEST_BACKUPS', folderType: 'env' });
      await flow.until(() => backups.files().length <= others.length);
      assert.deepEqual(backups.files(), others.sort());
    });

    it('disappears before the next backup if the folder is unknown until then', async () => {
      const flow = await start({ folder: 'place', folderType: 'flow' });
      putAll();
      backups.stash.answerWith(text(500, ''), { field: 'backupDatabase' });
      helper.getNode('tested').context().flow.set('place', backups.folder);
      failureOf(await flow.ask());
      assert.deepEqual(backups.files(), others.sort());
      assert.equal(flow.firstStatus, undefined);
    });

    it('stays if the server keeps the backups', async () => {
      putAll();
      const flow = await start({ download: false });
      await flow.ask();
      assert.equal(backups.files().length, leftovers.length + others.length);
    });
  });
});

describe('A session that has expired during the download', () => {
  const credentials = { username: 'ada', password: 'lovelace' };

  for (const [release, refusal] of [
    ['v0.17.2', 302],
    ['v0.30.1', 401],
  ] as const) {
    describe(`at a server that answers ${refusal} (${release})`, () => {
      const backups = new Backups({ release, credentials });

      it('is renewed when the download resumes', async () => {
        const { stash } = backups;
        stash.backups.content = database({ bytes: 1_000_000 });
        stash.answerWith(
          async (...request) => {
            await cutAfter(300_000)(...request);
            stash.expireSessions();
          },
          { ...downloads, times: 1 },
        );
        const flow = await backups.start({}, { auth: 'session' }, { credentials });
        const { filename } = savedOf(await flow.ask());

        assert.ok(backups.read(filename).equals(stash.backups.content));
        const statuses = backups.fetches().map(({ status }) => status);
        assert.deepEqual(statuses, [200, refusal, 206]);
        assert.equal(stash.requests.filter(({ path }) => path.startsWith('/login')).length, 2);
        assert.equal(backups.made(), 1);
      });
    });
  }
});

/** Returns a handler that gives the right response with a changed body. */
function changed(change: (body: string) => string): Handler {
  return async (request, response, _body, execute) => {
    const answer = await execute();
    send(request, response, { ...answer, body: change(String(answer.body)) });
  };
}
