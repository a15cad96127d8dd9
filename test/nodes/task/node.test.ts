import assert from 'node:assert/strict';
import { taskNames } from '../../../src/operations/tasks/kinds';
import type { JobRecord } from '../../../src/records';
import { json as json200 } from '../../fake-stash/answers';
import { FakeStash } from '../../fake-stash/fake-stash';
import { FOLDER } from '../../fake-stash/library';
import { askedWords, Flow, type Message, shared, useFakeStash } from '../../support/flow';
import { helper } from '../../support/runtime';
import { hasten, TEMPO } from '../../support/tempo';

const SOURCES = [{ source: { scraper_id: 'builtin_autotag' } }];
const PICTURES = '/media/pictures';

describe('stash-task', () => {
  hasten();

  const start = (stash: FakeStash, properties: object) =>
    Flow.start({ type: 'stash-task', properties, server: { url: stash.url } });
  /** Asks a node that is there for this message alone. */
  const ask = async (stash: FakeStash, properties: object, msg: object = {}): Promise<Message> => {
    const end = await (await start(stash, properties)).ask(msg);
    await helper.unload();
    return end.msg;
  };
  const json = (value: unknown) => ({ options: JSON.stringify(value), optionsType: 'json' });
  const record = ({ payload }: Message) => payload as JobRecord;

  /** Sends a message, and writes lines to the server's log while the job of that runs. */
  const askWithLog = async (
    { jobs, serverLog }: FakeStash,
    flow: Flow,
    ...lines: (readonly [level: 'Info' | 'Error', line: string])[]
  ) => {
    jobs.hold();
    const id = flow.send();
    await flow.until(() => jobs.queue !== null);
    for (const [level, line] of lines) serverLog.write(level, line);
    jobs.release();
    await flow.until(() => flow.hasEnded(id));
    return flow.endOf(id).msg;
  };
  /** Returns the last words about what a job did. */
  const lastWork = () =>
    askedWords.filter(({ key }) => /detail\.job\.(removed|marked|wouldRemove|changes)$/.test(key)).at(-1);

  /** Returns the variables of each request for a task. */
  const sent = (stash: FakeStash): unknown[] =>
    stash.requests
      .filter(({ operation }) => taskNames.some((name) => name === operation))
      .map(({ body }) => body?.variables);

  describe('on a server of today', () => {
    const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.1 });

    for (const [task, description, variables] of [
      ['metadataAutoTag', 'Auto-tagging...', { input: { performers: ['*'], studios: ['*'], tags: ['*'] } }],
      ['metadataClean', 'Cleaning...', { input: { dryRun: false } }],
      [
        'metadataCleanGenerated',
        'Cleaning generated files...',
        {
          input: {
            blobFiles: true,
            sprites: true,
            screenshots: true,
            transcodes: true,
            markers: true,
            imageThumbnails: true,
          },
        },
      ],
      ['optimiseDatabase', 'Optimising database...', undefined],
      ['updatePackages', 'Updating packages...', { type: 'Plugin' }],
    ] as const) {
      it(`runs ${task} with what a user means where nothing is saved, and waits for its end`, async () => {
        const msg = await ask(stash(), { task, reply: 'finished' });

        assert.equal(msg.error, undefined);
        assert.equal(record(msg).description, description);
        assert.equal(record(msg).status, 'FINISHED');
        assert.deepEqual(record(msg).problems, []);
        assert.equal(msg.stash?.operation, task);
        assert.deepEqual(sent(stash()), [variables]);
      });
    }

    it('refuses to identify without sources, and sends nothing', async () => {
      for (const properties of [{}, json({}), json({ sources: [], options: { setOrganized: true } })]) {
        const msg = await ask(stash(), { task: 'metadataIdentify', ...properties });

        assert.equal(msg.error?.code, 'BAD_INPUT');
        assert.match(msg.error.message, /BAD_INPUT\.noSources/);
      }
      assert.deepEqual(sent(stash()), []);
    });

    it('identifies with the sources that Stash has saved, without what they leave open', async () => {
      stash().defaults = {
        identify: {
          sources: [
            {
              source: { stash_box_index: null, stash_box_endpoint: null, scraper_id: 'builtin_autotag' },
              options: null,
            },
          ],
          options: {
            fieldOptions: [{ field: 'title', strategy: 'OVERWRITE', createMissing: null }],
            setCoverImage: true,
          },
        },
      };
      await ask(stash(), { task: 'metadataIdentify' });

      assert.deepEqual(sent(stash()), [
        {
          input: {
            sources: SOURCES,
            options: { fieldOptions: [{ field: 'title', strategy: 'OVERWRITE' }], setCoverImage: true },
          },
        },
      ]);
    });

    it('prefers the options that the Tasks page has saved to the defaults of the server', async () => {
      stash().defaults = { autoTag: { performers: ['*'], studios: null, tags: null } };
      await ask(stash(), { task: 'metadataAutoTag' });
      stash().taskDefaults = {
        // A newer release may have saved options that this one lacks.
        autoTag: { tags: ['*'], paths: [], groups: ['*'], __typename: 'AutoTagMetadataOptions' },
        cleanGenerated: { sprites: true, dryRun: true },
      };
      await ask(stash(), { task: 'metadataAutoTag' });
      await ask(stash(), { task: 'metadataCleanGenerated' });

      assert.deepEqual(sent(stash()), [
        { input: { performers: ['*'] } },
        { input: { tags: ['*'] } },
        { input: { sprites: true, dryRun: true } },
      ]);
    });

    for (const [what, properties, error] of [
      ['an option that the release does not know', json({ perfomers: ['*'] }), 'UNSUPPORTED.unknown'],
      ['an option of another type', json({ performers: [1] }), 'BAD_INPUT.wrongType'],
      ['options that are no object', json(['*']), 'BAD_INPUT.notObject'],
      ['options that are no JSON', { options: 'payload', optionsType: 'msg' }, 'BAD_INPUT.notEvaluated'],
      ['a folder outside the library', json({ paths: ['/data'] }), 'PATH_NOT_IN_LIBRARY'],
    ] as const) {
      it(`sends nothing with ${what}`, async () => {
        const msg = await ask(stash(), { task: 'metadataAutoTag', ...properties }, { payload: '{' });

        assert.match(msg.error?.message ?? '', new RegExp(error.replace('.', '\\.')));
        assert.deepEqual(sent(stash()), []);
      });
    }

    it('takes the options from a message, also as JSON', async () => {
      const flow = await start(stash(), { task: 'metadataAutoTag', options: 'payload', optionsType: 'msg' });
      await flow.ask({ payload: { tags: ['*'] } });
      await flow.ask({ payload: '{"studios": ["1"]}' });

      assert.deepEqual(sent(stash()), [{ input: { tags: ['*'] } }, { input: { studios: ['1'] } }]);
    });

    it('tags the folder of a file, and says so', async () => {
      const paths = `${FOLDER}/Lanterna/Paper Moon.mp4`;
      await ask(stash(), { task: 'metadataAutoTag', paths, pathsType: 'str' });
      const subject = askedWords.find(({ key }) => key === 'what.path');
      assert.equal(subject?.values['path'], `${FOLDER}/Lanterna`);
    });

    it('limits a task to folders, as this machine sees them', async () => {
      const flow = await Flow.start({
        type: 'stash-task',
        properties: { task: 'metadataClean', paths: '/mnt/videos/Lanterna', pathsType: 'str', dryRun: true },
        server: { url: stash().url, pathMap: [{ here: '/mnt/videos', there: FOLDER }] },
      });
      await flow.ask();

      assert.deepEqual(sent(stash()), [{ input: { dryRun: true, paths: [`${FOLDER}/Lanterna`] } }]);
    });

    describe('after a scan', () => {
      const items = { sceneIDs: 'payload', sceneIDsType: 'msg' };
      const kind = (...ids: string[]) => ({ count: ids.length, first: [], ids });

      it('counts before the scenes of the options', async () => {
        const options = json({ sources: SOURCES, sceneIDs: ['1'] });
        const properties = { task: 'metadataIdentify', paths: FOLDER, pathsType: 'str', ...options };
        await ask(stash(), properties);
        assert.deepEqual(sent(stash()), [{ input: { sources: SOURCES, paths: [FOLDER] } }]);
      });

      it('identifies what it found, once each, without scenes that have gone', async () => {
        const found = { scenes: kind('2', '1', '2', '99'), images: kind('1') };
        const properties = { task: 'metadataIdentify', ...items, ...json({ sources: SOURCES }) };
        const msg = await ask(stash(), { ...properties, reply: 'finished' }, { payload: { new: found } });

        assert.equal(record(msg).status, 'FINISHED');
        assert.deepEqual(sent(stash()), [{ input: { sources: SOURCES, sceneIDs: ['2', '1'] } }]);
      });

      it('tags the folders of what it found', async () => {
        const found = { scenes: kind('1', '2', '3'), images: kind('1'), galleries: kind() };
        await ask(stash(), { task: 'metadataAutoTag', ...items }, { payload: { new: found } });

        const [variables] = sent(stash()) as { input: { paths: string[] } }[];
        assert.deepEqual(variables?.input.paths.sort(), [
          `${PICTURES}/Harbour Nine`,
          `${FOLDER}/Harbour Nine`,
          `${FOLDER}/Lanterna`,
        ]);
        const subject = askedWords.find(({ key }) => key.startsWith('what.path'));
        assert.deepEqual([subject?.key, subject?.values['count']], ['what.paths', 3]);
      });

      for (const task of ['metadataIdentify', 'metadataAutoTag']) {
        it(`passes on that it found nothing, without an error: ${task}`, async () => {
          const flow = await start(stash(), {
            task,
            ...items,
            ...json({ sources: SOURCES }),
            ...(task === 'metadataAutoTag' && json({})),
          });
          const nothing = { scenes: kind(), images: kind(), galleries: kind() };
          for (const payload of [{ new: nothing }, nothing, { id: null, status: 'SKIPPED' }]) {
            const { msg, output } = await flow.ask({ payload });
            assert.equal(output, 1);
            assert.deepEqual(msg.payload, { id: null, status: 'SKIPPED' });
            assert.equal(msg.stash?.summary, shared('summary.job.nothingToDo'));
          }
          await flow.until(() => flow.statuses.at(-1)?.fill === 'green');
          assert.deepEqual(sent(stash()), []);
        });
      }

      it('starts nothing for a gallery that was made by hand, and says that it has no folder', async () => {
        const byHand = json200({ data: { item0: { id: '7', files: [], folder: null } } });
        stash().answerWith(byHand, { field: 'findGallery' });
        const flow = await start(stash(), { task: 'metadataAutoTag', ...items });
        const found = { scenes: kind(), images: kind(), galleries: kind('7') };
        const { msg, output } = await flow.ask({ payload: { new: found } });

        assert.equal(output, 1);
        assert.deepEqual(msg.payload, { id: null, status: 'SKIPPED' });
        assert.equal(msg.stash?.summary, shared('summary.job.noFolder'));
        assert.deepEqual(sent(stash()), []);
        await flow.until(() => flow.statuses.at(-1)?.text === shared('status.job.noFolder'));
        assert.equal(flow.statuses.at(-1)?.fill, 'yellow');
      });
    });

    for (const [task, count, ...lines] of [
      [
        'metadataIdentify',
        1,
        'Successfully identified /media/videos/a.mp4 as A using builtin_autotag',
        'Unable to identify /media/videos/b.mp4',
      ],
      [
        'metadataAutoTag',
        3,
        "Added performer 'Robin Vale' to scene 'Paper Moon'",
        "Added studio 'Lanterna' to image 'a'",
        "Added gallery 'b' to tag 'inbox'",
        'Processed 1000 scenes...',
      ],
    ] as const) {
      it(`counts what ${task} has changed`, async () => {
        const options = task === 'metadataIdentify' ? json({ sources: SOURCES }) : {};
        const flow = await start(stash(), { task, ...options, reply: 'finished' });
        assert.equal(record((await flow.ask()).msg).changes, 0);
        const msg = await askWithLog(stash(), flow, ...lines.map((line) => ['Info', line] as const));
        assert.equal(record(msg).changes, count);
        assert.deepEqual(lastWork()?.values['count'], count);
      });
    }

    describe('that cleans', () => {
      const clean = { task: 'metadataClean', reply: 'finished' };
      const isBraked = async (properties: object = {}) => {
        const msg = await ask(stash(), { ...clean, ...properties });
        assert.equal(msg.error?.code, 'SERVER_STATE');
        assert.match(msg.error.message, /SERVER_STATE\.folderEmpty/);
        assert.deepEqual(sent(stash()), []);
      };

      it('refuses while a library folder is missing, and tells what to do', async () => {
        stash().library.vanish(FOLDER);
        await isBraked();
        stash().library.reappear(FOLDER);
        assert.equal(record(await ask(stash(), clean)).status, 'FINISHED');
      });

      it('cleans a part of the library whose own folder is there', async () => {
        stash().library.unmount(PICTURES);
        const msg = await ask(stash(), { ...clean, paths: FOLDER, pathsType: 'str' });

        assert.equal(record(msg).status, 'FINISHED');
      });

      it('cleans although a folder is missing if told to', async () => {
        stash().library.vanish(FOLDER);
        const msg = await ask(stash(), { ...clean, cleanAnyway: true });

        assert.equal(record(msg).status, 'FINISHED');
        assert.equal(record(msg).marked?.count, 9);
        assert.equal(msg.stash?.summary, shared('summary.job.finished'));
      });

      it('says that entries were marked, not that they were removed, if Stash logs a problem', async () => {
        stash().library.vanish(`${FOLDER}/Lanterna`);
        const flow = await start(stash(), clean);
        assert.deepEqual(record((await flow.ask()).msg).problems, []);
        assert.match(lastWork()?.key ?? '', /removed$/);

        const line = 'Error deleting folder "/media/x" from database: FOREIGN KEY constraint failed';
        await askWithLog(stash(), flow, ['Error', line]);
        assert.match(lastWork()?.key ?? '', /marked$/);
      });

      it('runs dry although a folder is missing, and lists what it would remove', async () => {
        stash().library.vanish(`${FOLDER}/Lanterna`);
        stash().library.vanish(PICTURES);
        const before = stash().library.all('scene').length;
        const msg = await ask(stash(), { ...clean, dryRun: true });

        assert.equal(record(msg).status, 'FINISHED');
        assert.ok(record(msg).marked?.paths.includes(`${FOLDER}/Lanterna/Paper Moon.mp4`));
        assert.equal(record(msg).marked?.dryRun, true);
        assert.match(lastWork()?.key ?? '', /wouldRemove$/);
        assert.equal(stash().library.all('scene').length, before);
        assert.deepEqual(sent(stash()), [{ input: { dryRun: true } }]);
      });
    });

    describe('that runs a plugin', () => {
      const tidy = { task: 'runPluginTask', plugin: 'tidy', pluginTask: 'Tidy up', reply: 'finished' };

      it('gives it its arguments', async () => {
        const msg = await ask(stash(), { ...tidy, ...json({ mode: 'deep', depth: 3, empty: null }) });

        assert.equal(record(msg).description, 'Running plugin task: Tidy up');
        assert.equal(record(msg).status, 'FINISHED');
        assert.deepEqual(stash().pluginRuns, [
          { plugin: 'tidy', task: 'Tidy up', args: { mode: 'deep', depth: 3, empty: null } },
        ]);
      });

      it('runs the task that a message names', async () => {
        const flow = await start(stash(), {
          task: 'runPluginTask',
          plugin: 'payload.run',
          pluginType: 'msg',
          reply: 'finished',
        });
        const { msg } = await flow.ask({ payload: { run: { plugin: ' tidy', task: 'Tidy up ' } } });
        assert.equal(record(msg).description, 'Running plugin task: Tidy up');
        assert.deepEqual(stash().pluginRuns, [{ plugin: 'tidy', task: 'Tidy up', args: {} }]);

        for (const run of [
          'tidy',
          ['tidy', 'Tidy up'],
          { plugin: 'tidy' },
          { plugin: 'tidy', task: ' ' },
          5,
        ]) {
          const { msg } = await flow.ask({ payload: { run } });
          assert.match(msg.error?.message ?? '', /BAD_INPUT\.notPluginTask/, JSON.stringify(run));
        }
        const { msg: empty } = await flow.ask({ payload: {} });
        assert.match(empty.error?.message ?? '', /BAD_INPUT\.empty/);
        assert.equal(stash().pluginRuns.length, 1);
      });

      it('ignores what is chosen for a plugin in any other task', async () => {
        const msg = await ask(stash(), { task: 'optimiseDatabase', plugin: 'nope', pluginType: 'msg' });
        assert.equal(record(msg).status, 'STARTED');
      });

      it('reports what only the log tells of a plugin that fails', async () => {
        const msg = await ask(stash(), { ...tidy, pluginTask: 'Break' });

        assert.equal(record(msg).status, 'FINISHED');
        assert.ok(record(msg).problems?.some(({ text }) => text.includes('exit status 3')));
      });

      it('sends nothing without a plugin or a task', async () => {
        for (const name of ['plugin', 'pluginTask']) {
          const flow = await start(stash(), { ...tidy, [name]: ' ' });
          // It shows as soon as the flow is deployed.
          assert.equal(flow.firstStatus?.fill, 'red');
          assert.equal((await flow.ask()).msg.error?.code, 'BAD_INPUT');
          await helper.unload();
        }
        assert.deepEqual(stash().requests, []);
      });
    });
  });

  describe('on a server since v0.31', () => {
    const stash = useFakeStash({ tempo: TEMPO, release: 'v0.31.0' });
    const inputOf = (field: string) =>
      stash().requests.find(({ operation }) => operation === field)?.body?.variables?.['input'];

    it('cleans without the contents of zip files', async () => {
      const options = { ignoreZipFileContents: true };
      await ask(stash(), { task: 'metadataClean', ...json(options) });

      assert.deepEqual(inputOf('metadataClean'), { ...options, dryRun: false });
    });

    it('identifies with performers of some genders, as it is told or as Stash has saved', async () => {
      const options = { performerGenders: ['FEMALE', 'NON_BINARY'] };
      stash().defaults = { identify: { sources: [{ source: { scraper_id: 'builtin_autotag' } }], options } };
      await ask(stash(), { task: 'metadataIdentify' });

      assert.deepEqual((inputOf('metadataIdentify') as { options: object }).options, options);
    });
  });

  for (const [task, options] of [
    ['metadataClean', { ignoreZipFileContents: true }],
    ['metadataIdentify', { sources: [], options: { performerGenders: ['MALE'] } }],
  ] as const) {
    it(`reports UNSUPPORTED for an option of v0.31 on v0.30: ${task}`, async () => {
      const stash = await FakeStash.start({ tempo: TEMPO, release: 'v0.30.1' });
      try {
        assert.equal((await ask(stash, { task, ...json(options) })).error?.code, 'UNSUPPORTED');
        assert.ok(!stash.requests.some(({ operation }) => operation === task));
      } finally {
        await stash.stop();
      }
    });
  }

  describe('on a server that does not name the job of a plugin', () => {
    const stash = useFakeStash({ tempo: TEMPO, release: 'v0.17.2', jobSeconds: 0.2 });
    const tidy = { task: 'runPluginTask', plugin: 'tidy', pluginTask: 'Tidy up', reply: 'finished' };

    it('finds the job, and gives the plugin its arguments with their types', async () => {
      const args = { text: 'a', on: true, count: 3, share: 0.5, list: [1, 'b'], object: { a: 'b' } };
      const msg = await ask(stash(), { ...tidy, ...json(args) });

      assert.equal(record(msg).id, '1');
      assert.equal(record(msg).status, 'FINISHED');
      assert.deepEqual(stash().pluginRuns, [{ plugin: 'tidy', task: 'Tidy up', args }]);
    });

    it('finds the job of each of five messages at once', async () => {
      const flow = await start(stash(), tidy);
      const ids = Array.from({ length: 5 }, () => flow.send());
      await flow.until(() => ids.every((id) => flow.hasEnded(id)));

      assert.deepEqual(ids.map((id) => record(flow.endOf(id).msg).id).sort(), ['1', '2', '3', '4', '5']);
    });
  });

  describe('on a server without a live log', () => {
    const stash = useFakeStash({ tempo: TEMPO, release: 'v0.11.0', jobSeconds: 0.1 });

    it('brakes a clean, and does not tell what it removed', async () => {
      stash().library.unmount(FOLDER);
      assert.equal((await ask(stash(), { task: 'metadataClean' })).error?.code, 'SERVER_STATE');
      const msg = await ask(stash(), { task: 'metadataClean', cleanAnyway: true, reply: 'finished' });

      assert.equal(record(msg).status, 'FINISHED');
      assert.equal(record(msg).marked, undefined);
    });
  });
});
