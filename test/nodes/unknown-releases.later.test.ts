import assert from 'node:assert/strict';
import { json } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
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
];

interface Node {
  type: string;
  [property: string]: unknown;
}

describe('On a release that nobody knows yet,', () => {
  hasten();
  let stash: FakeStash | undefined;

  async function begin(schemaChanges: SchemaChange[], { type, ...properties }: Node): Promise<Flow> {
    stash = await FakeStash.start({ tempo: TEMPO, release: 'v0.31.0', schemaChanges });
    return await Flow.start({ type, properties, server: { url: stash.url, pause: 0 } });
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
});
