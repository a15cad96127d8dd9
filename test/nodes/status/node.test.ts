import assert from 'node:assert/strict';
import { Flow, useFakeStash } from '../../support/flow';
import { hasten, TEMPO } from '../../support/tempo';
import { helper } from '../../support/runtime';
import { json } from '../../fake-stash/answers';
import { otherTask } from '../../fake-stash/tasks';
import { words } from '../../support/words';
import type { JobRecord } from '../../../src/records';
import { redactTo } from '../../../src/redact';

describe('stash-status', () => {
  hasten();
  const stash = useFakeStash({ tempo: TEMPO });
  const start = (properties: object) =>
    Flow.start({ type: 'stash-status', properties, server: { url: stash().url } });

  it('returns the status, the release, the jobs and the statistics by default, as far as the server has them', async () => {
    const { output, msg } = await (await start({})).ask();

    assert.equal(output, 1);
    assert.deepEqual(msg.payload, { status: 'OK', version: stash().quirks.version, jobs: [] });
    assert.deepEqual(msg.stash?.missing, ['stats']);
    assert.equal(msg.stash.summary, 'summary.toldWithQueue');
  });

  it('returns all five fields of the interface document', async () => {
    const fields = ['databaseSchema', 'databasePath', 'configPath', 'appSchema', 'status'];
    const { msg } = await (await start({ fields })).ask();

    assert.deepEqual(Object.keys(msg.payload as object), fields);
    assert.equal(msg.stash?.summary, 'summary.told');
  });

  it('returns only the chosen fields', async () => {
    const { msg } = await (await start({ fields: ['appSchema'] })).ask();

    assert.deepEqual(Object.keys(msg.payload as object), ['appSchema']);
    assert.equal(msg.stash?.summary, 'summary.answered');
  });

  describe('with the version', () => {
    it('returns the release of the server, and requests nothing that was not chosen', async () => {
      const { msg } = await (await start({ fields: ['version'] })).ask();

      assert.deepEqual(msg.payload, { version: stash().quirks.version });
      assert.equal(msg.stash?.operation, 'version');
      assert.equal(msg.stash.summary, 'summary.answered');
      assert.ok(!stash().requests.some(({ operation }) => operation === 'systemStatus'));
    });

    it('returns null for a build without a release', async () => {
      const flow = await start({ fields: ['status', 'version', 'jobs'] });
      // Loads the schema, whose request has the field of the version, too.
      await flow.ask();
      for (const version of [null, '']) {
        stash().answerNormally();
        stash().answerWith(json({ data: { version: { version } } }), { field: 'version' });
        const { msg } = await flow.ask();
        assert.deepEqual(msg.payload, { status: 'OK', version: null, jobs: [] });
      }
    });
  });

  describe('with the jobs', () => {
    const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 60 });
    const start = (properties: object) =>
      Flow.start({ type: 'stash-status', properties, server: { url: stash().url } });

    it('returns running and queued jobs', async () => {
      for (const name of ['Generating...', 'Scanning...']) stash().jobs.add(otherTask(name, 'a step'));
      const { output, msg } = await (await start({ fields: ['status', 'jobs'] })).ask();

      assert.equal(output, 1);
      const { status, jobs } = msg.payload as { status: string; jobs: JobRecord[] };
      assert.equal(status, 'OK');
      assert.deepEqual(
        jobs.map(({ id, status, description }) => [id, status, description]),
        [
          ['1', 'RUNNING', 'Generating...'],
          ['2', 'READY', 'Scanning...'],
        ],
      );
      assert.equal(jobs[0]?.added, stash().jobs.find('1')?.addTime);
      assert.equal(msg.stash?.summary, 'summary.toldWithQueue');
      assert.equal(msg.stash.operation, 'systemStatus');
    });

    it('returns an empty list if no job runs, and requests only what is chosen', async () => {
      const { msg } = await (await start({ fields: ['jobs'] })).ask();

      assert.deepEqual(msg.payload, { jobs: [] });
      assert.equal(msg.stash?.operation, 'jobQueue');
      assert.equal(msg.stash.summary, 'summary.queue');
      assert.ok(!stash().requests.some(({ operation }) => operation === 'systemStatus'));
    });

    it('works on a server in SETUP', async () => {
      stash().status = 'SETUP';
      const { msg } = await (await start({ fields: ['status', 'jobs'] })).ask();

      assert.deepEqual(msg.payload, { status: 'SETUP', jobs: [] });
    });
  });

  describe('under the node', () => {
    const word = (key: string, values = {}) => words('status', `status.${key}`, values);

    /** Returns the status under the node after a message, as a key of the catalogue. */
    async function shown(status: unknown, jobs?: number): Promise<{ text: string; ring: boolean }> {
      stash().answerNormally();
      stash().answerWith(json({ data: { systemStatus: { status } } }), { field: 'systemStatus' });
      if (jobs !== undefined) {
        const at = '2026-01-11T04:41:59Z';
        const rest = { subTasks: null, progress: 0, addTime: at, startTime: null, endTime: null };
        const job = { status: 'READY', description: 'Scanning...', error: null, ...rest };
        const jobQueue = Array.from({ length: jobs }, (_, id) => ({ ...job, id: String(id + 1) }));
        stash().answerWith(json({ data: { jobQueue } }), { field: 'jobQueue' });
      }
      const flow = await start({ fields: jobs === undefined ? ['status'] : ['status', 'jobs'] });
      const { output, msg } = await flow.ask();
      assert.equal(output, 1, msg.error?.message);
      await flow.until(() => flow.statuses.some(({ shape, fill }) => fill !== 'blue' && shape !== undefined));
      const { text = '', fill } = flow.statuses.at(-1) ?? {};
      await helper.unload();
      return { text, ring: fill === 'yellow' };
    }

    it('shows a word for each known status', async function () {
      // Each status starts a new flow and waits until the status may change.
      assert.deepEqual(await shown('OK'), { text: 'status.told', ring: false });
      assert.deepEqual(await shown('OK', 2), { text: 'status.toldWithQueue', ring: false });
      for (const jobs of [undefined, 0, 120]) {
        assert.deepEqual(await shown('SETUP', jobs), { text: 'status.setup', ring: true });
        assert.deepEqual(await shown('NEEDS_MIGRATION', jobs), { text: 'status.migration', ring: true });
      }
      for (const jobs of [undefined, 0, 120]) {
        assert.deepEqual(await shown('SOMETHING_NEW', jobs), { text: 'status.other', ring: false });
      }
    });

    it('shows at most 20 visible characters, whatever the server sends', () => {
      const long = 'x'.repeat(5000);
      for (const status of [long, `a\u001b]0;title\u0007\n${long}`, '𝄞'.repeat(5000), ` \u202e${long}`]) {
        const shown = { status: redactTo(status, 60), short: redactTo(status, 20) };
        const values = { server: 'nas', details: '', ...shown };
        const summary = words('status', 'summary.told', values);
        assert.ok(summary.length < 100, summary);
        for (const text of [word('other', values), summary]) assert.doesNotMatch(text, /\p{C}/u);
        assert.ok(values.short.length >= 19 && word('other', values).length <= 20, values.short);
      }
      for (const key of ['told', 'toldNewer', 'setup', 'migration', 'answered', 'newer'])
        assert.ok(word(key).length <= 20, key);
      for (const key of ['toldWithQueue', 'queue']) {
        for (const form of ['zero', 'one', 'other']) {
          assert.ok(word(`${key}_${form}`, { count: 99_999_999 }).length <= 20, `${key}_${form}`);
        }
      }
    });

    it('shows that the server responds if its status is not text', async () => {
      for (const status of [null, 5, { toString: 1, valueOf: 1 }]) {
        assert.deepEqual(await shown(status), { text: 'status.answered', ring: false });
      }
    });
  });

  it('lists the jobs as missing if the server cannot report them', async () => {
    // Without introspection, a request contains only the fields of the interface document.
    stash().answerWith(json({ errors: [{ message: 'introspection disabled' }], data: null }), {
      field: '__type',
    });
    const { output, msg } = await (await start({ fields: ['status', 'jobs'] })).ask();

    assert.equal(output, 1);
    assert.deepEqual(msg.payload, { status: 'OK' });
    assert.deepEqual(msg.stash?.missing, ['jobs']);
  });
});
