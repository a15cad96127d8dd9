import assert from 'node:assert/strict';
import { bareRecord } from '../../../src/jobs/job-records';
import { throwUnlessDone } from '../../../src/operations/tasks/run-task';
import { taskNames } from '../../../src/operations/tasks/kinds';
import { task, type TaskInput } from '../../../src/operations/tasks/task';
import { json } from '../../fake-stash/answers';
import type { FakeStash } from '../../fake-stash/fake-stash';
import { FOLDER } from '../../fake-stash/library';
import type { Release } from '../../fake-stash/releases';
import { failure, Message, type TestServer, useServer } from '../../support/connect';
import { hasten, TEMPO } from '../../support/tempo';

const SOURCES = [{ source: { scraper_id: 'builtin_autotag' } }];
const FILM = `${FOLDER}/Lanterna/Paper Moon.mp4`;
const everything: Omit<TaskInput, 'task'> = {
  options: null,
  paths: null,
  items: null,
  pluginTask: null,
  packageType: 'Plugin',
  dryRun: false,
  cleanAnyway: false,
};
const scenes = (...ids: string[]) => ({ scene: ids, image: [], gallery: [] });

describe('A task', () => {
  hasten();

  let stash: FakeStash;
  let server: TestServer;
  const connect = useServer(
    (...both) => {
      [stash, server] = both;
    },
    { release: 'v0.30.1', jobSeconds: 0.01, tempo: TEMPO },
  );

  type Given = Partial<TaskInput> & Pick<TaskInput, 'task'>;
  const run = (input: Given) => task(server, { ...everything, ...input }, new Message());
  const requested = () => stash.requests.map(({ operation }) => operation);
  /** Returns the variables of each request for a task. */
  const sent = () =>
    stash.requests
      .filter(({ operation }) => taskNames.some((name) => name === operation))
      .map(({ body }) => body?.variables);

  describe('is not sent', () => {
    const notForTask = 'BAD_INPUT.notForTask';
    const wrongPaths = { name: 'paths', type: '[String!]' };
    const wrongScenes = { name: 'sceneIDs', type: '[ID!]' };
    const noSuch = (name: string) => ({ name, release: 'v0.30.1' });
    const identify = (sceneIDs: unknown): Given => ({
      task: 'metadataIdentify',
      options: { sources: SOURCES, sceneIDs },
    });
    for (const [what, input, error, details] of [
      [
        'an export of a folder',
        { task: 'metadataExport', paths: [FOLDER] },
        notForTask,
        { property: 'paths' },
      ],
      [
        'a clean of scenes',
        { task: 'metadataClean', items: scenes('1') },
        notForTask,
        { property: 'sceneIDs' },
      ],
      [
        'a clean of scenes in a folder',
        { task: 'metadataClean', paths: [FOLDER], items: scenes('1') },
        notForTask,
        { property: 'sceneIDs' },
      ],
      [
        'an export of scenes in a folder',
        { task: 'metadataExport', paths: [FOLDER], items: scenes('1') },
        notForTask,
        { property: 'paths' },
      ],
      [
        'an empty list of folders in the options',
        { task: 'metadataAutoTag', options: { paths: [] } },
        'BAD_INPUT.wrongType',
        wrongPaths,
      ],
      [
        'a folder in the options that is not in a list',
        { task: 'metadataClean', options: { paths: FOLDER } },
        'BAD_INPUT.wrongType',
        wrongPaths,
      ],
      ['no scene in the options', identify([]), 'BAD_INPUT.wrongType', wrongScenes],
      ['a scene in the options that is not in a list', identify('1'), 'BAD_INPUT.wrongType', wrongScenes],
      ['an ID that is no number', identify(['1', 'x']), 'BAD_INPUT.wrongType', wrongScenes],
      ['an ID that starts with another character', identify([' 1']), 'BAD_INPUT.wrongType', wrongScenes],
      ['an ID that ends with another character', identify(['1 ']), 'BAD_INPUT.wrongType', wrongScenes],
      [
        'scenes in the options of a task that has none',
        { task: 'metadataAutoTag', options: { sceneIDs: ['1'] } },
        'UNSUPPORTED.unknown',
        noSuch('sceneIDs'),
      ],
      [
        'scenes and folders in the options of a task that has no scenes',
        { task: 'metadataAutoTag', options: { paths: [FOLDER], sceneIDs: ['1'] } },
        'UNSUPPORTED.unknown',
        noSuch('sceneIDs'),
      ],
      [
        'scenes in the options of a task that has none, beside a folder',
        { task: 'metadataAutoTag', paths: [FOLDER], options: { sceneIDs: ['1'] } },
        'UNSUPPORTED.unknown',
        noSuch('sceneIDs'),
      ],
      [
        'an option of a task without options',
        { task: 'optimiseDatabase', options: { full: true } },
        'UNSUPPORTED.unknown',
        noSuch('full'),
      ],
      [
        'an unknown option of an update',
        { task: 'updatePackages', options: { packages: null, force: true } },
        'UNSUPPORTED.unknown',
        noSuch('force'),
      ],
      [
        'a package without its source',
        { task: 'updatePackages', options: { packages: { id: 'tidy', source: 'x' } } },
        'UNSUPPORTED.unknown',
        noSuch('packages[0].source'),
      ],
    ] as [string, Given, string, object][]) {
      it(`with ${what}, and the error says so`, async () => {
        const found = await failure(run(input));
        assert.deepEqual([found.case, found.details], [error, details]);
        assert.deepEqual(sent(), []);
      });
    }

    for (const [release, input, details] of [
      ['v0.11.0', { task: 'metadataClean', paths: [FOLDER] }, { name: 'paths', since: 'v0.12.0' }],
      ['v0.9.0', { task: 'metadataIdentify' }, { name: 'metadataIdentify', since: 'v0.11.0' }],
    ] as [Release, Given, object][]) {
      it(`to ${release}, which cannot do it, and nothing about the library is requested: ${input.task}`, async () => {
        await connect({ release });
        const found = await failure(run(input));
        assert.deepEqual([found.case, found.details], ['UNSUPPORTED.lacking', { ...details, release }]);
        assert.ok(!requested().includes('configuration'));
      });
    }
  });

  describe('sends', () => {
    const tag = { tags: ['*'] };
    for (const [what, input, variables] of [
      [
        'the scenes of the options that are in the library, each once, also if they are numbers',
        { task: 'metadataIdentify', options: { sources: SOURCES, sceneIDs: [2, '1', '2', '99'] } },
        { input: { sources: SOURCES, sceneIDs: ['2', '1'] } },
      ],
      [
        'the folders of the options',
        { task: 'metadataAutoTag', options: { ...tag, paths: [FOLDER] } },
        { input: { ...tag, paths: [FOLDER] } },
      ],
      [
        'the folders of the dialog instead of those of the options',
        { task: 'metadataAutoTag', options: { ...tag, paths: ['/elsewhere'] }, paths: [FOLDER] },
        { input: { ...tag, paths: [FOLDER] } },
      ],
      [
        'a file to a task that takes files',
        { task: 'metadataIdentify', options: { sources: SOURCES }, paths: [FILM] },
        { input: { sources: SOURCES, paths: [FILM] } },
      ],
      [
        'the options without those that have no value, at every level',
        {
          task: 'metadataIdentify',
          options: {
            sources: [{ ...SOURCES[0], options: null }],
            options: { __typename: 'IdentifyMetadataTaskOptions', setCoverImage: true, setOrganized: null },
          },
        },
        { input: { sources: SOURCES, options: { setCoverImage: true } } },
      ],
      [
        'one package to update',
        { task: 'updatePackages', options: { packages: { id: 'tidy', sourceURL: 'https://a.example' } } },
        { type: 'Plugin', packages: [{ id: 'tidy', sourceURL: 'https://a.example' }] },
      ],
      [
        'several packages to update',
        {
          task: 'updatePackages',
          packageType: 'Scraper',
          options: { packages: ['a', 'b'].map((id) => ({ id, sourceURL: 'https://a.example' })) },
        },
        {
          type: 'Scraper',
          packages: ['a', 'b'].map((id) => ({ id, sourceURL: 'https://a.example' })),
        },
      ],
      [
        'no packages if their list is null',
        { task: 'updatePackages', options: { packages: null } },
        { type: 'Plugin' },
      ],
      [
        'no arguments to a plugin without any',
        { task: 'runPluginTask', pluginTask: { plugin: 'echo', task: 'Say hello' } },
        { plugin_id: 'echo', task_name: 'Say hello' },
      ],
      [
        'the arguments of a plugin in one map',
        {
          task: 'runPluginTask',
          pluginTask: { plugin: 'echo', task: 'Say hello' },
          options: { deep: [null, 2 ** 40], none: null },
        },
        { plugin_id: 'echo', task_name: 'Say hello', args_map: { deep: [null, 2 ** 40], none: null } },
      ],
    ] as [string, Given, object][]) {
      it(`${what}: ${input.task}`, async () => {
        stash.arrive({ path: `${FOLDER}/Some.Scene.1080p/a.mp4` });
        await run(input);
        assert.deepEqual(sent(), [variables]);
      });
    }

    it('no request for the saved options if the message has options, or the task has none', async () => {
      stash.taskDefaults = { autoTag: { studios: ['*'] } };
      await run({ task: 'metadataAutoTag', options: tag });
      await run({ task: 'metadataExport' });
      assert.deepEqual(sent(), [{ input: tag }, undefined]);
      assert.ok(!requested().includes('configuration'));
    });

    it('the saved sources to an identify task whose options have none, but no saved part of the library', async () => {
      stash.taskDefaults = { identify: { sources: SOURCES, paths: [FOLDER], sceneIDs: ['1'] } };
      await run({ task: 'metadataIdentify', options: { options: { setCoverImage: true } } });
      assert.deepEqual(sent(), [{ input: { sources: SOURCES, options: { setCoverImage: true } } }]);
    });

    describe('before v0.25', () => {
      beforeEach(async () => {
        await connect({ release: 'v0.23.1' });
      });
      const runPlugin = (args: object) =>
        run({
          task: 'runPluginTask',
          pluginTask: { plugin: 'echo', task: 'Say hello' },
          options: { ...args },
        });
      const arraysAround = (value: unknown, levels: number): unknown =>
        levels === 0 ? value : arraysAround([value], levels - 1);

      it('each argument of a plugin with its type', async () => {
        const numbers = { least: 1 - 2 ** 31, most: 2 ** 31 - 1, more: 2 ** 31, less: -(2 ** 40), part: 0.5 };
        await runPlugin({
          ...numbers,
          none: null,
          list: [null, true, 'x'],
          object: { deep: { none: null } },
        });
        assert.deepEqual(sent(), [
          {
            plugin_id: 'echo',
            task_name: 'Say hello',
            args: [
              { key: 'least', value: { i: 1 - 2 ** 31 } },
              { key: 'most', value: { i: 2 ** 31 - 1 } },
              { key: 'more', value: { f: 2 ** 31 } },
              { key: 'less', value: { f: -(2 ** 40) } },
              { key: 'part', value: { f: 0.5 } },
              { key: 'none' },
              { key: 'list', value: { a: [{}, { b: true }, { str: 'x' }] } },
              { key: 'object', value: { o: [{ key: 'deep', value: { o: [{ key: 'none' }] } }] } },
            ],
          },
        ]);
      });

      it('no arguments to a plugin without any', async () => {
        await runPlugin({});
        assert.deepEqual(sent(), [{ plugin_id: 'echo', task_name: 'Say hello' }]);
      });

      it('arguments with a hundred levels, and reports BAD_INPUT for deeper ones', async () => {
        await runPlugin({ deep: arraysAround(1, 100) });
        assert.equal(sent().length, 1);
        let objects: object = {};
        for (let level = 0; level < 101; level++) objects = { objects };
        for (const deep of [arraysAround(1, 101), objects]) {
          const { case: found, details } = await failure(runPlugin({ deep }));
          assert.equal(found, 'BAD_INPUT.wrongType');
          assert.deepEqual(details, { name: 'options', type: '[PluginArgInput!]' });
        }
        assert.equal(sent().length, 1);
      });
    });
  });

  describe('returns', () => {
    const job = { id: '1', status: 'STARTED' };
    for (const [what, input, about] of [
      ['nothing else for the whole library', { task: 'metadataAutoTag' }, { job, isDryRun: false }],
      ['nothing else for folders', { task: 'metadataAutoTag', paths: [FOLDER] }, { job, isDryRun: false }],
      [
        'the folder that it tags instead of a file',
        { task: 'metadataAutoTag', paths: [FILM] },
        { job, isDryRun: false, replacedBy: [`${FOLDER}/Lanterna`] },
      ],
      [
        'nothing else for a folder whose name looks like that of a file',
        { task: 'metadataAutoTag', paths: [`${FOLDER}/Some.Scene.1080p`] },
        { job, isDryRun: false },
      ],
      [
        'nothing else for a path that the server does not have, although it looks like a file',
        { task: 'metadataAutoTag', paths: [`${FOLDER}/Lanterna/Gone.mp4`] },
        { job, isDryRun: false },
      ],
      [
        'which scenes are in the library',
        { task: 'metadataIdentify', options: { sources: SOURCES }, items: scenes('1', '99') },
        { job, isDryRun: false, items: { known: ['1'], unknown: 1 } },
      ],
      [
        'a skipped job if none of the scenes is in the library',
        { task: 'metadataIdentify', options: { sources: SOURCES }, items: scenes('99') },
        { job: { id: null, status: 'SKIPPED' }, isDryRun: false, items: { known: [], unknown: 1 } },
      ],
      [
        'that it ran dry because the dialog says so',
        { task: 'metadataCleanGenerated', dryRun: true },
        { job, isDryRun: true },
      ],
      [
        'that it ran dry because the options say so',
        { task: 'metadataClean', options: { dryRun: true } },
        { job, isDryRun: true },
      ],
      [
        'no dry run of a task that has none',
        { task: 'metadataExport', dryRun: true },
        { job, isDryRun: false },
      ],
    ] as [string, Given, object][]) {
      it(`${what}: ${input.task}`, async () => {
        assert.deepEqual(await run(input), { operation: input.task, ...about });
      });
    }

    it('a gallery that was made by hand as known, although it has no folder to tag', async () => {
      stash.answerWith(json({ data: { item0: { id: '7', files: [], folder: null } } }), {
        field: 'findGallery',
      });
      const items = { ...scenes('3'), gallery: ['7'] };
      const done = await run({ task: 'metadataAutoTag', options: { tags: ['*'] }, items });
      assert.deepEqual(done.items, { known: ['3', '7'], unknown: 0 });
      assert.deepEqual(sent(), [{ input: { tags: ['*'], paths: [`${FOLDER}/Lanterna`] } }]);
    });
  });

  it('runs for a call without listeners', async () => {
    const { signal, waiting } = new Message();
    const { job } = await task(server, { ...everything, task: 'metadataClean' }, { signal, waiting });
    assert.equal(job.status, 'STARTED');
  });

  for (const [release, isIdle] of [
    ['v0.30.1', true],
    ['v0.11.0', undefined],
  ] as const) {
    it(`that counted no work ${isIdle ? 'says so' : 'may have done some'} on ${release}`, async () => {
      await connect({ release });
      // A folder without scenes.
      const options = { sources: SOURCES, paths: ['/media/pictures'] };
      const done = await run({ task: 'metadataIdentify', options, reply: 'finished' });
      assert.deepEqual([done.job.status, done.isIdle], ['FINISHED', isIdle]);
    });
  }

  describe('that cleans', () => {
    /** Makes the server list these folders of the library. */
    const have = (...folders: string[]) => {
      const general = { stashes: folders.map((path) => ({ path })) };
      stash.answerWith(json({ data: { configuration: { general } } }), { field: 'configuration' });
    };

    for (const release of ['v0.11.0', 'v0.17.2', 'v0.30.1'] as const) {
      it(`is sent if the files of the library are there: ${release}`, async () => {
        await connect({ release });
        await run({ task: 'metadataClean' });
        assert.deepEqual(sent(), [{ input: { dryRun: false } }]);
      });
    }

    it('names the folder that is empty, cut at a hundred characters, and may be tried again', async () => {
      have(`../${'x'.repeat(200)}`);
      const { case: found, retry, details } = await failure(run({ task: 'metadataClean' }));
      assert.deepEqual([found, retry], ['SERVER_STATE.folderEmpty', true]);
      assert.deepEqual(details, { folder: `../${'x'.repeat(97)}` });
    });

    it('is not sent for a library without folders, from which all would be removed, and may be tried again', async () => {
      have();
      const { case: found, retry } = await failure(run({ task: 'metadataClean' }));
      assert.deepEqual([found, retry], ['SERVER_STATE.noFolders', true]);
      assert.deepEqual(sent(), []);
    });
  });

  it('that cleans generated files does not need the files of the library', async () => {
    stash.library.unmount(FOLDER);
    await run({ task: 'metadataCleanGenerated' });
    assert.equal(sent().length, 1);
    assert.equal((await failure(run({ task: 'metadataClean' }))).case, 'SERVER_STATE.folderEmpty');
    assert.equal(sent().length, 1);
  });
});

describe('The end of a job', () => {
  const ended = bareRecord({ id: '7', status: 'FINISHED', description: 'Cleaning...' });
  const details = { job: '7', description: 'Cleaning', text: '' };
  for (const [what, changes, error, values] of [
    ['one that failed', { status: 'FAILED', error: 'no space' }, 'JOB_FAILED.failed', { text: 'no space' }],
    ['one that failed without an error', { status: 'FAILED' }, 'JOB_FAILED.panicked', {}],
    ['one that was cancelled', { status: 'CANCELLED' }, 'JOB_CANCELLED.cancelled', {}],
    ['one that is lost', { status: 'LOST' }, 'JOB_LOST.lost', {}],
    ['one that never had an ID', { status: 'LOST', id: null }, 'JOB_LOST.unidentified', { job: '–' }],
  ] as const) {
    it(`is the error ${error} for ${what}`, async () => {
      const found = await failure(
        Promise.resolve().then(() => {
          throwUnlessDone({ ...ended, ...changes });
        }),
      );
      assert.deepEqual([found.case, found.details], [error, { ...details, ...values }]);
    });
  }

  it('is no error for one that finished', () => {
    throwUnlessDone(ended);
  });
});
