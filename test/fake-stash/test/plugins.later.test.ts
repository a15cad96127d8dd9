import assert from 'node:assert/strict';
import { servers } from './client';
import { run } from './run';

const task = (more: string, plugin = 'tidy') => `mutation { runPluginTask(plugin_id: "${plugin}" ${more}) }`;

describe('Fake server: plugins', () => {
  const start = servers();
  const newest = () => start({ release: 'v0.30.1' });

  it('are listed with their tasks', async () => {
    const { stash, value } = await newest();
    const query = '{ plugins { id name description version enabled tasks { name description } } }';
    const plugins = (await value(query)) as { id: string; tasks: unknown }[];
    assert.deepEqual(
      plugins.map(({ id }) => id),
      ['tidy', 'echo'],
    );
    assert.deepEqual(plugins[1], {
      id: 'echo',
      name: 'Echo',
      description: null,
      version: null,
      enabled: true,
      tasks: [{ name: 'Say hello', description: null }],
    });
    stash.plugins = [{ id: 'bare', name: 'Bare', tasks: [] }];
    assert.deepEqual(await value('{ plugins { id tasks { name } } }'), [{ id: 'bare', tasks: null }]);
    stash.plugins = [];
    assert.equal(await value('{ plugins { id } }'), null);
  });

  it('run with the arguments that they are given', async () => {
    const client = await newest();
    const map = 'args_map: { depth: 2, names: ["a"], deep: { yes: true } }';
    const { status, progress, lines } = await run(client, task(`, task_name: "Tidy up", ${map}`));
    assert.deepEqual([status, progress, lines], ['FINISHED', 0, []]);
    const list =
      'args: [{ key: "s", value: { str: "x" } }, { key: "l", value: { a: [{ i: 1 }, { b: false }] } }, { key: "n" }]';
    await run(client, task(`, task_name: "Tidy up", ${list}`));
    await run(client, task(''));
    assert.deepEqual(client.stash.pluginRuns, [
      {
        plugin: 'tidy',
        task: 'Tidy up',
        args: { depth: 2, names: ['a'], deep: { yes: true } },
      },
      { plugin: 'tidy', task: 'Tidy up', args: { s: 'x', l: [1, false], n: null } },
      { plugin: 'tidy', task: null, args: {} },
    ]);
  });

  it('name their job after the task, or after the description', async () => {
    const { stash, value } = await newest();
    stash.jobs.hold();
    await value(task(', task_name: "Tidy up"'));
    await value(task(', task_name: "Tidy up", description: "Tidy up the new files"'));
    await value(task(''));
    assert.deepEqual(
      stash.jobs.queue?.map(({ description }) => description),
      ['Tidy up', 'Tidy up the new files', 'tidy'].map((name) => `Running plugin task: ${name}`),
    );
  });

  it('end FINISHED when they fail: only the log tells', async () => {
    const client = await newest();
    const { status, error, lines } = await run(client, task(', task_name: "Break"'));
    assert.deepEqual([status, error], ['FINISHED', null]);
    assert.deepEqual(lines, ['[Plugin / Tidy] cannot tidy up', 'Plugin returned error: exit status 3']);
  });

  it('end CANCELLED at once when they are stopped', async () => {
    const client = await start({ release: 'v0.30.1', jobSeconds: 60 });
    const ended = run(client, task(', task_name: "Break"'));
    while (client.stash.pluginRuns.length === 0) await client.value('{ jobQueue { id } }');
    await client.value('mutation { stopJob(job_id: "1") }');
    const { status, lines } = await ended;
    assert.deepEqual([status, lines], ['CANCELLED', []]);
  });

  for (const [mutation, reason] of [
    [task(', task_name: "Tidy up"', 'nope'), 'Error creating plugin task: no plugin with ID nope'],
    [task(', task_name: "Nope"'), 'Error creating plugin task: no task with name Nope in plugin Tidy'],
  ] as const) {
    it(`fail with "${reason}", which older releases only log`, async () => {
      const { lines, ...newer } = await run(await newest(), mutation);
      assert.deepEqual(newer, { status: 'FAILED', progress: 0, error: reason });
      assert.deepEqual(lines, [`task failed due to error: ${reason}`]);
      const older = await run(await start({ release: 'v0.25.1' }), mutation);
      assert.deepEqual(older, { status: 'FINISHED', progress: 0, error: null, lines: [reason] });
    });
  }

  it('fail in SETUP, and run in NEEDS_MIGRATION', async () => {
    const client = await newest();
    client.stash.status = 'SETUP';
    assert.equal(await client.value('{ plugins { id } }'), null);
    const { status, error } = await run(client, task(', task_name: "Tidy up"'));
    assert.deepEqual([status, error], ['FAILED', null]);
    client.stash.status = 'NEEDS_MIGRATION';
    assert.equal((await run(client, task(', task_name: "Tidy up"'))).status, 'FINISHED');
  });
});
