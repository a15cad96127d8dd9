import assert from 'node:assert/strict';
import type { JobRecord } from '../../../src/records';
import { Pause } from '../../../src/jobs/pause';
import { json } from '../../fake-stash/answers';
import { FakeStash } from '../../fake-stash/fake-stash';
import { answerWhenTold, cut, loseAnswer } from '../../fake-stash/faults';
import { otherTask } from '../../fake-stash/tasks';
import { askedWords, Flow, shared, useFakeStash } from '../../support/flow';
import { skip } from '../../support/playback';
import { helper } from '../../support/runtime';
import { hasten, sleep, TEMPO } from '../../support/tempo';
import { PAUSED, usePausing } from './pausing';

const LOCKED = json({ errors: [{ message: 'database is locked' }] });
const silent = { onEnd: () => undefined, onError: () => undefined };

describe('stash-pause', () => {
  hasten();
  const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.1 });

  const options = (properties: object = {}) => ({
    type: 'stash-pause',
    properties,
    server: { url: stash().url },
  });

  it('pauses while somebody watches, as a playback node reports it', async () => {
    const flow = await Flow.start(options());
    const { msg: paused } = await flow.ask({ stash: { watching: 2 } });
    assert.deepEqual(paused.payload, { paused: true, interrupted: [], waiting: 0 });
    assert.deepEqual(paused.stash, { server: { name: 'nas', url: stash().url }, summary: 'summary.paused' });
    await flow.until(() => flow.statuses.at(-1)?.text === 'status.paused');

    const { msg: resumed } = await flow.ask({ stash: { watching: 0 } });
    assert.deepEqual(resumed.payload, { paused: false, interrupted: [], waiting: 0 });
    assert.equal(resumed.stash?.summary, 'summary.resumed');
    assert.equal(stash().requests.length, 0, 'nothing is sent');
  });

  for (const [values, isPaused] of [
    [[true, 1, '3', ' On ', 'Playing', 'buffering', 'started', 'resumed'], true],
    [[false, 0, '0', '0.0', 'OFF', 'paused', 'idle', 'standby', 'stopped', 'Ended'], false],
  ] as const) {
    it(`${isPaused ? 'pauses' : 'resumes'} for ${values.map((value) => JSON.stringify(value)).join(', ')}`, async () => {
      const flow = await Flow.start(options({ paused: 'payload', pausedType: 'msg' }));
      for (const payload of values) {
        await flow.ask({ payload: !isPaused });
        const { msg } = await flow.ask({ payload });
        assert.equal((msg.payload as { paused: boolean }).paused, isPaused, JSON.stringify(payload));
      }
    });
  }

  it('changes nothing for anything else, such as a command, which can mean the film or the jobs', async () => {
    const flow = await Flow.start(options({ paused: 'payload', pausedType: 'msg' }));
    const wrong = ['unavailable', 'unknown', '', null, -1, {}, [1], 'pause', 'resume', 'Play', 'stop'];
    for (const isPaused of [true, false]) {
      await flow.ask({ payload: isPaused });
      for (const payload of wrong) {
        assert.equal((await flow.ask({ payload })).msg.error?.code, 'BAD_INPUT', JSON.stringify(payload));
      }
      assert.equal(Pause.of(stash().url).isOn, isPaused);
    }
  });

  for (const [payload, name] of [
    [{ entity_id: 'media_player.tv', state: 'playing' }, 'msg.payload.state'],
    [{ state: 'unavailable' }, 'msg.payload.state'],
    [{ topic: 'tv', value: 'off' }, 'msg.payload.value'],
  ] as const) {
    it(`names the field to use for ${JSON.stringify(payload)}`, async () => {
      const flow = await Flow.start(options({ paused: 'payload', pausedType: 'msg' }));
      const { msg } = await flow.ask({ payload });
      assert.equal(msg.stash?.error?.code, 'BAD_INPUT');
      const names = askedWords.flatMap(({ key, values }) =>
        key.endsWith('notPauseObject.text') ? [values['name']] : [],
      );
      assert.equal(names.at(-1), name);
    });
  }

  it('tells when the pause has ended after its time, and ends only its own', async () => {
    const flow = await Flow.start(options({ atMost: '0.00001' }));
    Pause.of(stash().url).request({ node: 'other', interrupt: false, atMost: Infinity, ...silent });
    await flow.ask({ stash: { watching: 1 } });
    await flow.until(() => flow.sent.length === 2);
    const [, ended] = flow.sent;
    assert.deepEqual(ended?.payload, { paused: true, interrupted: [], waiting: 0 });
    assert.deepEqual([ended.stash?.reason, ended.stash?.summary], ['AT_MOST', 'summary.endedByLimit']);
    assert.equal(Pause.of(stash().url).isOn, true);
  });

  it('says nothing about a pause that ends when the node has no server any more', async () => {
    const flow = await Flow.start(options());
    await flow.ask({ stash: { watching: 1 } });
    await flow.redeploy({ ...options(), server: null });
    Pause.of(stash().url).releaseAll('BUTTON');
    await new Promise(setImmediate);
    assert.equal(flow.sent.length, 1);
  });

  it('shows whether jobs are paused, whichever node begins and ends that, also after a deploy', async () => {
    const other = { ...silent, node: 'other', interrupt: false, atMost: Infinity };
    const flow = await Flow.start(options());
    const isShown = (text: string) => flow.until(() => flow.statuses.at(-1)?.text === `status.${text}`);
    Pause.of(stash().url).request(other);
    await isShown('paused');
    await flow.ask({ stash: { watching: 1 } });
    await flow.ask({ stash: { watching: 0 } });
    await isShown('paused');
    await flow.redeploy(options(), 'full');
    await isShown('paused');
    Pause.of(stash().url).release('other');
    await isShown('resumed');
  });

  it('ends the pauses of all nodes if its value is a fixed false', async () => {
    const flow = await Flow.start(options({ paused: 'false', pausedType: 'bool' }));
    Pause.of(stash().url).request({ node: 'other', interrupt: false, atMost: Infinity, ...silent });
    const { msg } = await flow.ask();
    assert.deepEqual(msg.payload, { paused: false, interrupted: [], waiting: 0 });
  });

  describe('and other nodes', () => {
    const start = (type: string, properties: object) =>
      Flow.start({ type, properties, server: { url: stash().url }, idle: 'stash-pause' });
    const { watching, pause, generations, stops, record, isShown, sendAndRun, askAndRun, interrupt } =
      usePausing(stash);
    const sprites = { sprites: true, reply: 'finished' };

    it('lets their messages wait, and go on one after another', async () => {
      const flow = await start('stash-generate', { sprites: true, sceneIDs: 'payload', sceneIDsType: 'msg' });
      await pause();
      const ids = ['1', '2', '3'].map((payload) => flow.send({ payload }));
      await isShown(flow, PAUSED);
      await flow.until(() => Pause.of(stash().url).pending.waiting === 3);
      assert.deepEqual([generations().length, flow.sent.length], [0, 0]);

      watching(0);
      await flow.until(() => ids.every((id) => flow.hasEnded(id)));
      const scenes = generations().map(
        ({ body }) => (body?.variables?.['input'] as { sceneIDs: string[] }).sceneIDs,
      );
      assert.deepEqual(scenes, [['1'], ['2'], ['3']]);
    });

    it('counts all messages that wait, also those that share a scan, or wait for others before', async () => {
      const flow = await start('stash-scan', { collect: '0.1', paths: 'payload', pathsType: 'msg' });
      await pause();
      const ids = ['a', 'b'].map((name) => flow.send({ payload: `/media/videos/${name}.mp4` }));
      await flow.until(() => Pause.of(stash().url).pending.waiting === 2);
      watching(0);
      await flow.until(() => ids.every((id) => flow.hasEnded(id)));
      assert.equal(Pause.of(stash().url).pending.waiting, 0);
    });

    it('lets what came at once start in the order in which it came, although one looks something up first', async () => {
      const flow = await Flow.start({
        type: 'stash-generate',
        properties: { sprites: true, sceneIDs: '["1"]', sceneIDsType: 'json' },
        server: { url: stash().url },
        idle: 'stash-pause',
        configs: [{ id: 'scan', type: 'stash-scan', server: 'server1', z: 'tab', x: 10, y: 20, wires: [] }],
      });
      await pause();
      const { handler, answer } = answerWhenTold();
      stash().answerWith(handler, { field: 'findScenes', times: 1 });
      flow.send();
      helper.getNode('scan').receive({});
      await flow.until(() => Pause.of(stash().url).pending.waiting === 1);
      answer();
      await flow.until(() => Pause.of(stash().url).pending.waiting === 2);
      watching(0);
      const started = () =>
        stash().requests.flatMap(({ operation = '' }) => (/^metadata/.test(operation) ? [operation] : []));
      await flow.until(() => started().length === 2);
      assert.deepEqual(started(), ['metadataGenerate', 'metadataScan']);
    });

    it('holds back a job that has asked for the queue when the pause begins', async () => {
      const flow = await start('stash-generate', { sprites: true });
      const { handler, answer } = answerWhenTold();
      stash().answerWith(handler, { field: 'jobQueue', times: 1 });
      const id = flow.send();
      await flow.until(() => stash().requests.some(({ operation }) => operation === 'jobQueue'));
      await pause();
      answer();
      await isShown(flow, PAUSED);
      assert.deepEqual([generations().length, Pause.of(stash().url).pending.waiting], [0, 1]);
      watching(0);
      await flow.until(() => flow.hasEnded(id));
      assert.equal(generations().length, 1);
    });

    it('stops a running job, and starts it again with the same options', async () => {
      const flow = await start('stash-generate', sprites);
      const id = await sendAndRun(flow);
      await interrupt(flow);
      assert.equal(flow.hasEnded(id), false);

      watching(0);
      await flow.until(() => flow.hasEnded(id));
      const { msg } = flow.endOf(id);
      assert.deepEqual([record(msg).status, record(msg).id, record(msg).interrupted], ['FINISHED', '2', 1]);
      const [first, second] = generations().map(({ body }) => body);
      assert.deepEqual(first, second);
    });

    it('does not say that nothing was to do if all was done before the pause', async () => {
      const flow = await start('stash-generate', sprites);
      const id = await sendAndRun(flow);
      await pause();
      await flow.until(() => stops().length === 1);
      for (const scene of stash().library.all('scene')) stash().library.remove(scene);
      stash().jobs.release();
      await isShown(flow, PAUSED);
      watching(0);
      await flow.until(() => flow.hasEnded(id));
      assert.equal(flow.endOf(id).msg.stash?.summary, shared('summary.job.finished'));
    });

    it('stops a job for which no message waits, and starts it again', async () => {
      const flow = await start('stash-generate', { sprites: true });
      await askAndRun(flow);
      await interrupt(flow);
      watching(0);
      await flow.until(() => generations().length === 2 && stash().jobs.queue === null);
      assert.equal(flow.sent.length, 1);
    });

    for (const [what, waitLimit, end] of [
      ['the limit of its message has passed', '0.02', () => {}],
      [
        'its message was reset',
        '0',
        () => {
          helper.getNode('tested').receive({ reset: true });
        },
      ],
    ] as const) {
      it(`stops a job that goes on after ${what}, and starts it again`, async () => {
        const flow = await start('stash-generate', { ...sprites, waitLimit });
        const id = await sendAndRun(flow);
        await flow.until(() => flow.statuses.at(-1)?.text?.includes('progress.') === true);
        end();
        await flow.until(() => flow.hasEnded(id) || flow.isDropped(id));
        await interrupt(flow);
        watching(0);
        await flow.until(() => generations().length === 2 && stash().jobs.queue === null);
      });
    }

    it('tells how long all its jobs have run, if it was stopped', async () => {
      const flow = await start('stash-generate', sprites);
      const id = await sendAndRun(flow);
      await interrupt(flow);
      watching(0);
      await flow.until(() => flow.hasEnded(id));
      const { seconds, start: begun, end } = record(flow.endOf(id).msg);
      const { startTime, endTime } = stash().jobs.find('1') ?? {};
      const of = (from?: string | null, to?: string | null) =>
        (Date.parse(String(to)) - Date.parse(String(from))) / 1000;
      assert.equal(seconds, of(startTime, endTime) + of(begun, end));
    });

    it('does not show the number of the first job once another is started in its place', async () => {
      const flow = await start('stash-generate', { sprites: true });
      await askAndRun(flow);
      await interrupt(flow);
      const before = flow.statuses.length;
      const { handler, answer } = answerWhenTold();
      stash().answerWith(handler, { field: 'metadataGenerate', times: 1 });
      watching(0);
      await flow.until(() => generations().length === 2);
      // Later than the next status is shown.
      await sleep(2 * 1000);
      answer();
      // On a busy machine, the job is not so brief.
      await flow.until(() => /\.job\.(done|finished)$/.test(flow.statuses.at(-1)?.text ?? ''));
      const shown = flow.statuses.slice(before).map(({ text }) => text);
      assert.ok(!shown.includes(shared('status.job.started')), shown.join());
    });

    it('starts jobs that it has stopped again in the order in which they began', async () => {
      const flow = await start('stash-generate', { ...sprites, sceneIDs: 'payload', sceneIDsType: 'msg' });
      stash().jobs.hold();
      const ids: string[] = [];
      for (const [index, payload] of ['1', '2'].entries()) {
        ids.push(flow.send({ payload }));
        await flow.until(() => stash().jobs.queue?.length === index + 1);
      }
      await pause();
      ids.push(flow.send({ payload: '3' }));
      await flow.until(() => stops().length === 2);
      stash().jobs.release();
      await flow.until(() => stash().jobs.queue === null);
      watching(0);
      await flow.until(() => ids.every((id) => flow.hasEnded(id)));
      const scenes = generations().map(
        ({ body }) => (body?.variables?.['input'] as { sceneIDs: string[] }).sceneIDs,
      );
      assert.deepEqual(scenes, [['1'], ['2'], ['1'], ['2'], ['3']]);
    });

    it('shows that a job is to start again after the server was away amid the pause', async () => {
      const other = { id: 'other', type: 'stash-status', fields: ['status'], server: 'server1' };
      const flow = await Flow.start({
        type: 'stash-generate',
        properties: { sprites: true },
        server: { url: stash().url },
        idle: 'stash-pause',
        configs: [{ ...other, z: 'tab', x: 10, y: 20, wires: [] }],
      });
      await askAndRun(flow);
      await interrupt(flow);

      const { port } = stash();
      await stash().stop();
      helper.getNode('other').receive({});
      await flow.until(() => flow.idleStatuses.at(-1)?.fill === 'red');
      const again = await FakeStash.start({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.1, port });
      try {
        await flow.until(() => flow.idleStatuses.at(-1)?.fill === 'green');
        assert.equal(flow.statuses.at(-1)?.text, PAUSED);
      } finally {
        await again.stop();
      }
    });

    for (const [type, properties] of [
      ['stash-generate', { ...sprites, overwrite: true }],
      ['stash-scan', { rescan: true, reply: 'finished' }],
      ['stash-task', { task: 'metadataAutoTag', reply: 'finished' }],
    ] as const) {
      it(`does not stop a job that would begin from the start: ${type}`, async () => {
        const flow = await start(type, properties);
        const id = await sendAndRun(flow);
        await pause();
        stash().jobs.release();
        await flow.until(() => flow.hasEnded(id));
        assert.deepEqual([record(flow.endOf(id).msg).status, stops().length], ['FINISHED', 0]);
      });
    }

    it('leaves jobs of others and requests alone', async () => {
      const flow = await start('stash-status', { fields: ['status'] });
      stash().jobs.hold();
      stash().jobs.add(otherTask('Scanning...', 'a step'));
      await pause();
      assert.equal((await flow.ask()).output, 1);
      assert.equal(stops().length, 0);
    });

    it('drops a message that waits, also for its job to start again, with reset', async () => {
      const flow = await start('stash-generate', sprites);
      const id = await sendAndRun(flow);
      await interrupt(flow);
      flow.send({ reset: true });
      await flow.until(() => flow.isDropped(id));
      watching(0);
      await flow.until(() => !Pause.of(stash().url).isOn);
      assert.equal(generations().length, 1);
    });

    it('does not count for the time limit of a message', async () => {
      const flow = await start('stash-generate', { ...sprites, waitLimit: '1' });
      await pause();
      const id = flow.send();
      await isShown(flow, PAUSED);
      skip(120_000);
      watching(0);
      await flow.until(() => flow.hasEnded(id));
      assert.equal(record(flow.endOf(id).msg).status, 'FINISHED');
    });

    it('lets a message go on after a deploy amid the pause, as the node was when it came', async () => {
      const flow = await start('stash-generate', sprites);
      await pause();
      const id = flow.send();
      await isShown(flow, PAUSED);
      const changed = { type: 'stash-generate', properties: { ...sprites, previews: true } };
      await flow.redeploy({ ...changed, server: { url: stash().url }, idle: 'stash-pause' }, 'full');
      await isShown(flow, PAUSED);
      watching(0);
      await flow.until(() => flow.hasEnded(id));
      assert.deepEqual(
        generations().map(({ body }) => (body?.variables?.['input'] as { previews: boolean }).previews),
        [false],
      );
    });

    it('reports a job that the server refuses to start again, although its message has left', async () => {
      const flow = await start('stash-generate', { sprites: true });
      stash().jobs.hold();
      await flow.ask();
      await interrupt(flow);
      stash().answerWith(json({ errors: [{ message: 'no space left' }] }), { field: 'metadataGenerate' });
      watching(0);
      await flow.until(() => flow.ownErrors.length === 1);
      assert.equal(flow.ownErrors[0]?.error?.code, 'GRAPHQL');
    });

    for (const [what, fault, code] of [
      ['Stash refuses to stop a job', LOCKED, 'GRAPHQL'],
      ['Stash cannot be reached', cut, 'UNREACHABLE'],
    ] as const) {
      it(`says that jobs are paused although ${what}, and stops the job if it is told again`, async () => {
        const flow = await Flow.start({
          ...options(),
          configs: [
            { id: 'gen', type: 'stash-generate', sprites: true, server: 'server1', wires: [['output1']] },
          ],
        });
        stash().jobs.hold();
        helper.getNode('gen').receive({});
        await flow.until(() => Pause.of(stash().url).jobs.find({ id: '1' })?.current !== undefined);
        stash().answerWith(fault, { field: code === 'GRAPHQL' ? 'stopJob' : 'jobQueue' });
        const { msg } = await flow.ask({ stash: { watching: 1 } });
        assert.deepEqual([msg.stash?.error?.code, msg.stash?.error?.retry], [code, true]);
        assert.ok(msg.stash?.summary?.includes(` ${shared('preface.paused')} `), msg.stash?.summary);
        assert.equal(Pause.of(stash().url).isOn, true);
        stash().answerNormally();
        const again = await flow.ask({ stash: { watching: 1 } });
        assert.equal((again.msg.payload as { interrupted: JobRecord[] }).interrupted.length, 1);
      });
    }

    it('reports a job that has started just before it and cannot be stopped', async () => {
      const flow = await Flow.start({
        ...options(),
        configs: [{ id: 'gen', type: 'stash-generate', sprites: true, server: 'server1', wires: [[]] }],
      });
      stash().jobs.hold();
      const { handler, answer } = answerWhenTold();
      stash().answerWith(handler, { field: 'metadataGenerate', times: 1 });
      stash().answerWith(LOCKED, { field: 'stopJob', times: 1 });
      helper.getNode('gen').receive({});
      await flow.until(() => generations().length === 1);
      await flow.ask({ stash: { watching: 1 } });
      answer();
      await flow.until(() => flow.ownErrors.length === 1);
      const { stash: about } = flow.ownErrors[0] ?? {};
      assert.ok(about?.summary?.includes(` ${shared('preface.paused')} `), about?.summary);
    });

    it('starts a job again although the answer to its stop was lost', async () => {
      const flow = await start('stash-generate', sprites);
      const id = await sendAndRun(flow);
      stash().answerWith(loseAnswer, { field: 'stopJob', times: 1 });
      await interrupt(flow);
      watching(0);
      await flow.until(() => flow.hasEnded(id));
      assert.equal(record(flow.endOf(id).msg).status, 'FINISHED');
    });

    it('starts a job again, and its message waits on, although a deploy came while it was stopped', async () => {
      const flow = await start('stash-generate', sprites);
      const id = await sendAndRun(flow);
      await pause();
      await flow.until(() => stash().jobs.queue?.[0]?.status === 'STOPPING');
      const changed = { type: 'stash-generate', properties: { ...sprites, reply: 'started' } };
      await flow.redeploy({ ...changed, server: { url: stash().url }, idle: 'stash-pause' });
      stash().jobs.release();
      watching(0);
      await flow.until(() => flow.hasEnded(id));
      assert.equal(generations().length, 2);
      assert.equal(record(flow.endOf(id).msg).status, 'FINISHED');
    });

    it('leaves a job alone that a user has just stopped', async () => {
      const flow = await start('stash-generate', { ...sprites, sendFailed: true });
      const id = await sendAndRun(flow);
      await fetch(`${stash().url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: 'mutation { stopJob(job_id: 1) }' }),
      });
      await flow.until(() => flow.statuses.at(-1)?.text === shared('progress.stopping'));
      await pause();
      stash().jobs.release();
      await flow.until(() => flow.hasEnded(id));
      assert.equal(record(flow.endOf(id).msg).status, 'CANCELLED');
    });

    it('does not let a clean start if the pause begins while the disks are checked', async () => {
      const flow = await start('stash-task', { task: 'metadataClean' });
      const { handler, answer } = answerWhenTold();
      stash().answerWith(handler, { field: 'configuration', times: 1 });
      const id = flow.send();
      await flow.until(() => stash().requests.some(({ body }) => body?.query?.includes('configuration')));
      await pause();
      answer();
      await isShown(flow, PAUSED);
      assert.ok(!stash().requests.some(({ operation }) => operation === 'metadataClean'));
      watching(0);
      await flow.until(() => flow.hasEnded(id));
    });

    it('checks the disks of a clean when it is sent, not when its message came', async () => {
      const flow = await start('stash-task', { task: 'metadataClean' });
      await pause();
      const id = flow.send();
      await isShown(flow, PAUSED);
      stash().library.unmount('/media/videos');
      watching(0);
      await flow.until(() => flow.hasEnded(id));
      assert.equal(flow.endOf(id).msg.error?.code, 'SERVER_STATE');
    });
  });

  it('says what it has stopped, and what waits', async () => {
    const flow = await Flow.start({
      ...options(),
      configs: [
        { id: 'gen', type: 'stash-generate', sprites: true, server: 'server1', wires: [['output1']] },
      ],
    });
    stash().jobs.hold();
    helper.getNode('gen').receive({});
    await flow.until(() => flow.sent.length === 1 && stash().jobs.queue?.[0]?.status === 'RUNNING');
    const { msg } = await flow.ask({ stash: { watching: 1 } });
    const { interrupted } = msg.payload as { interrupted: JobRecord[] };
    assert.deepEqual(
      interrupted.map(({ id, status, description }) => [id, status, description]),
      [['1', 'STOPPING', 'Generating...']],
    );
    assert.equal(msg.stash?.operation, 'stopJob');
    assert.ok(askedWords.some(({ key, values }) => key === 'detail.interrupted' && values['count'] === 1));
    // Another node pauses jobs, too, so this one only asks.
    Pause.of(stash().url).request({ node: 'other', interrupt: false, atMost: Infinity, ...silent });
    for (const isPaused of [true, false]) {
      const { msg: asked } = await flow.ask({ stash: { watching: 0 } });
      const state = asked.payload as { paused: boolean; interrupted: JobRecord[] };
      assert.deepEqual([state.paused, state.interrupted.map(({ id }) => id)], [isPaused, ['1']]);
      assert.equal(asked.stash?.operation, undefined, 'it has stopped none');
      Pause.of(stash().url).request({ node: 'tested', interrupt: false, atMost: Infinity, ...silent });
      Pause.of(stash().url).release('other');
    }
  });
});
