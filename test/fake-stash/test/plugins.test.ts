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
    const defaultArgs = { depth: 1, mode: 'other' };
    client.stash.plugins = [{ id: 'tidy', name: 'Tidy', tasks: [{ name: 'Tidy up', defaultArgs }] }];
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
        args: { depth: 2, mode: 'other', names: ['a'], deep: { yes: true } },
      },
      { plugin: 'tidy', task: 'Tidy up', args: { ...defaultArgs, s: 'x', l: [1, false], n: null } },
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

  it('fail if they cannot be started', async () => {
    const client = await newest();
    const startError = 'fork/exec /nope: no such file or directory';
    client.stash.plugins = [{ id: 'gone', name: 'Gone', tasks: [{ name: 'Go', startError }] }];
    const { status, error } = await run(client, task(', task_name: "Go"', 'gone'));
    assert.deepEqual(
      [status, error],
      ['FAILED', `Error running plugin task: error running plugin: ${startError}`],
    );
  });

  it('fail in SETUP, and run in NEEDS_MIGRATION', async () => {
    const client = await newest();
    client.stash.status = 'SETUP';
    assert.equal(await client.value('{ plugins { id } }'), null);
    const { status, error } = await run(client, task(', task_name: "Tidy up"'));
    assert.deepEqual([status, error], ['FAILED', null]);
    client.stash.status = 'NEEDS_MIGRATION';
    assert.equal((await run(client, task(', task_name: "Tidy up"'))).status, 'FINISHED');
  });

  it('and other packages are updated', async () => {
    const client = await newest();
    client.stash.packages.updates.Plugin = ['tidy', 'echo'];
    const { progress, lines } = await run(client, 'mutation { updatePackages(type: Plugin) }');
    assert.equal(progress, 1);
    assert.deepEqual(lines, ['Updating package tidy', 'Updating package echo', 'Finished updating packages']);
    const again = await run(client, 'mutation { updatePackages(type: Plugin, packages: []) }');
    assert.deepEqual([again.progress, again.lines], [null, ['Finished updating packages']]);
  });

  it('are not updated without the internet, which only the log tells', async () => {
    const client = await newest();
    client.stash.packages.updates.Scraper = ['one'];
    client.stash.packages.reachable = false;
    const all = await run(client, 'mutation { updatePackages(type: Scraper) }');
    assert.deepEqual([all.status, all.progress, all.lines.length], ['FINISHED', null, 2]);
    assert.match(String(all.lines[0]), /^error listing remote package https:.*: no such host$/);
    const one = 'packages: [{ id: "one", sourceURL: "https://source.example/index.yml" }]';
    const { status, lines } = await run(client, `mutation { updatePackages(type: Scraper, ${one}) }`);
    assert.equal(status, 'FINISHED');
    assert.match(
      String(lines[1]),
      /^Error updating package one from https:\/\/source\.example\/index\.yml: /,
    );
    client.stash.status = 'SETUP';
    assert.equal(
      await client.failure('mutation { updatePackages(type: Scraper) }'),
      'Scraper package manager not initialized',
    );
  });
});
