import assert from 'node:assert/strict';
import { json } from '../fake-stash/answers';
import { FakeStash, type FakeStashOptions } from '../fake-stash/fake-stash';
import { FOLDER } from '../fake-stash/library';
import type { JobRecord } from '../../src/records';
import type { SchemaChange } from '../fake-stash/schema-change';
import { askedWords, Flow, type Message, shared } from '../support/flow';
import { helper } from '../support/runtime';
import { hasten, TEMPO } from '../support/tempo';
import { until } from '../support/waiting';

const SCAN = { type: 'stash-scan', reply: 'finished' };

/** The cases of errors, and the name that each has. */
const ERRORS: [what: string, change: SchemaChange, node: Node, which: string, name: string][] = [
  [
    'jobs whose status is a list',
    { how: 'wrapped', type: 'Job', field: 'status' },
    SCAN,
    'GRAPHQL.form',
    'jobQueue',
  ],
  [
    'jobs that end with another status',
    { how: 'renamed', type: 'JobStatus', field: 'FINISHED' },
    SCAN,
    'JOB_LOST.status',
    'FINISHED_next',
  ],
  [
    'no look-up of performers',
    { how: 'renamed', type: 'Query', field: 'scrapeSinglePerformer' },
    { type: 'stash-performer-search', query: 'Robin', queryType: 'str' },
    'UNSUPPORTED.lacking',
    'scrapeSinglePerformer',
  ],
  [
    'no clean, because other tasks took its place',
    { how: 'removed', type: 'Mutation', field: 'metadataClean' },
    { type: 'stash-task', task: 'metadataClean' },
    'UNSUPPORTED.lacking',
    'metadataClean',
  ],
];

interface Node {
  type: string;
  [property: string]: unknown;
}

describe('On a release that nobody knows yet,', () => {
  hasten();
  let stash: FakeStash | undefined;

  async function begin(schemaChanges: SchemaChange[], node: Node): Promise<Flow> {
    return await beginWith({ schemaChanges }, node);
  }

  async function beginWith(options: FakeStashOptions, { type, ...properties }: Node): Promise<Flow> {
    stash = await FakeStash.start({ tempo: TEMPO, release: 'v0.31.0', ...options });
    const { apiKey = '' } = options;
    const server = { url: stash.url, pause: 0, auth: apiKey === '' ? 'none' : 'apiKey' };
    return await Flow.start({ type, properties, server, credentials: { apiKey } });
  }

  async function ask(change: SchemaChange, node: Node): Promise<Message> {
    const flow = await begin([change], node);
    return (await flow.ask({})).msg;
  }

  afterEach(async () => {
    await helper.unload();
    await stash?.stop();
  });

  for (const [what, change, node, which, name] of ERRORS) {
    it(`${what}: ${which} names ${name}`, async () => {
      const { error } = await ask(change, node);
      assert.equal(error?.code, which.split('.')[0]);
      const text = askedWords.find(({ key }) => key === shared(`errors.${which}.text`));
      assert.ok(Object.values(text?.values ?? {}).includes(name), JSON.stringify(text));
    });
  }

  it('a job is found in the queue if the response to its start is unreadable', async () => {
    const { payload } = await ask({ how: 'wrapped', type: 'Mutation', field: 'metadataScan' }, SCAN);
    const { status, adopted } = payload as { status: string; adopted?: true };
    assert.deepEqual([status, adopted], ['FINISHED', true]);
  });

  it('the summary of a job that ends with another status quotes it, where failures are sent as messages', async () => {
    const change: SchemaChange = { how: 'renamed', type: 'JobStatus', field: 'FINISHED' };
    const { payload } = await ask(change, { ...SCAN, sendFailed: true });
    assert.equal((payload as { status: string }).status, 'LOST');
    const summary = askedWords.find(({ key }) => key.endsWith('summary.job.unknown'));
    assert.equal(summary?.values['text'], 'FINISHED_next');
  });

  it('jobs are followed without what they no longer say', async () => {
    for (const field of ['progress', 'description', 'startTime', 'endTime', 'subTasks', 'error']) {
      const { payload, stash: context } = await ask({ how: 'removed', type: 'Job', field }, SCAN);
      const { status, problemCount } = payload as { status: string; problemCount: number | null };
      assert.equal(status, 'FINISHED', field);
      // Without its times, nobody knows which lines of the log are from its run.
      assert.equal(problemCount, field.endsWith('Time') ? null : 0, field);
      assert.ok(!context?.summary?.includes('idle'), field);
      await helper.unload();
      await stash?.stop();
    }
  });

  it('a message that waits for a job ends if the server is upgraded to one whose jobs are refused', async () => {
    const flow = await begin([], SCAN);
    stash?.jobs.hold();
    const id = flow.send({});
    await until(() => stash?.jobs.queue !== null);
    const refusal = json(
      { errors: [{ message: 'Cannot query field "addTime" on type "Job".' }], data: null },
      422,
    );
    stash?.answerWith(refusal, { field: 'jobQueue' });
    stash?.sockets.cut();
    await flow.until(() => flow.hasEnded(id));
    assert.equal(flow.caught(id)[0]?.error?.code, 'GRAPHQL');
  });

  it('a marker without its time leads to its scene, not to the beginning of it', async () => {
    const flow = await begin([{ how: 'removed', type: 'SceneMarker', field: 'seconds' }], {
      type: 'stash-find',
      kind: 'marker',
    });
    stash?.markers.add({ title: 'The bridge', seconds: 90, scene: '1', tag: '1' });
    const { payload, stash: context } = (await flow.ask({})).msg;
    assert.match(String((payload as { url: string }[])[0]?.url), /\/scenes\/1$/);
    assert.deepEqual(context?.missing, ['seconds']);
  });

  describe('with the tasks that are to replace clean,', () => {
    const clean = { type: 'stash-task', task: 'metadataClean', reply: 'finished' };
    const GONE = `${FOLDER}/Lanterna/Paper Moon.mp4`;
    const paths = () => stash?.library.all('scene').map(({ path }) => path) ?? [];

    it('a clean removes what is missing', async () => {
      const flow = await beginWith({ verifies: true }, clean);
      stash?.library.vanish(GONE);
      assert.equal(((await flow.ask()).msg.payload as JobRecord).status, 'FINISHED');
      assert.ok(paths().length > 0 && !paths().includes(GONE));
    });

    it('a clean is refused if a disk seems to be missing, and nothing is sent', async () => {
      const flow = await beginWith({ verifies: true }, clean);
      stash?.library.unmount(FOLDER);
      assert.equal((await flow.ask()).msg.error?.code, 'SERVER_STATE');
      assert.equal(stash?.jobs.queue, null);
      assert.ok(!stash.requests.some(({ operation }) => operation === 'metadataClean'));
    });

    it('a dry run does not tell how much a clean would remove, because its log is unknown', async () => {
      const flow = await beginWith({ verifies: true }, { ...clean, dryRun: true });
      stash?.library.vanish(GONE);
      const { msg } = await flow.ask();
      const { status, marked, problemCount } = msg.payload as JobRecord;
      assert.deepEqual([status, marked, problemCount], ['FINISHED', undefined, 0]);
      assert.ok(!askedWords.some(({ key }) => key.endsWith('job.wouldRemove')));
      assert.ok(paths().includes(GONE));
    });

    it('a query can run them, and waits for their jobs', async () => {
      const document = 'mutation { verifyPaths(input: { purgeMissing: true }) }';
      const flow = await beginWith({ verifies: true }, { type: 'stash-query', document, reply: 'finished' });
      stash?.library.vanish(GONE);
      const { job } = (await flow.ask()).msg.stash ?? {};
      assert.deepEqual([job?.status, job?.description], ['FINISHED', 'Verifying paths...']);
      assert.ok(!paths().includes(GONE));
    });
  });

  describe('with users who have roles,', () => {
    const options = (role: 'READ' | 'MODIFY' | 'ADMIN') => ({ role, apiKey: 'a-key-of-this-user' });
    const mutation = { type: 'stash-query', document: 'mutation { stopAllJobs }' };
    const CHANGES: [what: string, node: Node][] = [
      ['a scan', SCAN],
      ['a clean', { type: 'stash-task', task: 'metadataClean', cleanAnyway: true }],
      ['a backup', { type: 'stash-backup', download: true, folderType: 'message' }],
      ['a mutation of a query', mutation],
    ];

    for (const [what, node] of CHANGES) {
      it(`${what} with a key that may only read is UNAUTHORIZED, and not to be sent again`, async () => {
        const flow = await beginWith(options('READ'), node);
        const { msg } = await flow.ask();
        const { code, retry } = msg.stash?.error ?? {};
        assert.deepEqual([msg.error?.code, code, retry], ['UNAUTHORIZED', 'UNAUTHORIZED', false]);
        assert.ok(askedWords.some(({ key }) => key === shared('errors.UNAUTHORIZED.notAllowed.text')));
      });
    }

    it('what only reads goes on after that at once, with the same key', async () => {
      const flow = await beginWith(options('READ'), {
        ...mutation,
        document: 'payload',
        documentType: 'msg',
      });
      const ask = async (payload: string) => (await flow.ask({ payload })).msg;
      assert.equal((await ask('mutation { stopAllJobs }')).error?.code, 'UNAUTHORIZED');
      const { payload } = await ask('{ me { name roles } findScenes { count } }');
      assert.deepEqual((payload as { me: unknown }).me, { name: 'amy', roles: ['READ'] });
      assert.equal((await ask('{ users { name } }')).error?.code, 'UNAUTHORIZED');
    });

    it('a key that may change items changes them', async () => {
      const flow = await beginWith(options('MODIFY'), {
        type: 'stash-update',
        kind: 'scene',
        items: '["1"]',
        itemsType: 'json',
        changes: [{ field: 'rating', action: 'set', value: '80', valueType: 'num' }],
      });
      assert.deepEqual(((await flow.ask()).msg.payload as { ids: string[] }).ids, ['1']);
    });

    it('nothing changes for the key of an administrator', async () => {
      const flow = await beginWith(options('ADMIN'), SCAN);
      assert.equal(((await flow.ask()).msg.payload as JobRecord).status, 'FINISHED');
    });
  });
});
