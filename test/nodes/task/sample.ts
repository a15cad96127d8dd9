import { pluginTasks } from '../../../src/operations/dialogs/capabilities';
import { taskNames } from '../../../src/operations/tasks/kinds';
import { itemFolders } from '../../../src/operations/tasks/scope';
import { task, type TaskInput } from '../../../src/operations/tasks/task';
import { finished, mistakes } from '../../browser/fields';
import { words } from '../../support/words';
import { type Ask, isJob, releaseColumn, type Sample } from '../../support/sample';
import { progressOfJob, replyFinished } from '../../contract/stage';
import { loseAnswer } from '../../fake-stash/faults';

const source = { source: { scraper_id: 'builtin_autotag' } };

/** Returns the column of a task in the table of tasks. */
function column(name: string, properties: object = {}) {
  return releaseColumn('stash-task', { ways: [{ properties: { task: name, ...properties } }], holds: isJob });
}

const json = (value: unknown) => ({ options: JSON.stringify(value), optionsType: 'json' });

const plain: Omit<TaskInput, 'task'> = {
  pluginTask: { plugin: 'tidy', task: 'Tidy up' },
  packageType: 'Plugin',
  options: null,
  dryRun: false,
  paths: null,
  items: null,
  cleanAnyway: true,
};

/** Runs a task in one way. */
const ask: Ask<Partial<TaskInput>> = (server, call, input) =>
  task(server.asServer, { ...plain, task: 'metadataClean', ...input }, call);

export const sample: Sample = {
  readme: "runs any other task of the server's Tasks page: identify, auto tag, clean, plugins …",
  // A server with the documented operations alone has none of these tasks.
  asDragged: { code: 'UNSUPPORTED' },
  releases: {
    identify: column('metadataIdentify', json({ sources: [source] })),
    'auto tag': column('metadataAutoTag'),
    clean: column('metadataClean'),
    'clean generated files': column('metadataCleanGenerated'),
    'optimise database': column('optimiseDatabase'),
    export: column('metadataExport'),
    'plugin task': column('runPluginTask', {
      plugin: 'tidy',
      pluginTask: 'Tidy up',
      ...json({ mode: 'deep' }),
    }),
    'update packages': column('updatePackages'),
  },
  documents: {
    'each task, with the options of the Tasks page': async (server, call) => {
      for (const name of taskNames) {
        await server.understands(name, ask(server, call, { task: name }), 'CleanMetadataInput');
      }
    },
    'each task, with options': async (server, call) => {
      const args = { text: 'a', on: true, count: 3, share: 0.5, list: [1, null], object: { a: null } };
      await server.understands(
        'metadataIdentify',
        ask(server, call, { task: 'metadataIdentify', options: { sources: [source] } }),
      );
      await server.understands('runPluginTask', ask(server, call, { task: 'runPluginTask', options: args }));
      const packages = [{ id: 'x', sourceURL: 'https://example.org' }];
      await server.understands(
        'updatePackages',
        ask(server, call, { task: 'updatePackages', options: { packages } }),
      );
    },
    'a task for some folders, and for the items that a scan found': async (server, call) => {
      for (const name of ['metadataIdentify', 'metadataAutoTag'] as const) {
        const options = name === 'metadataIdentify' ? { sources: [source] } : null;
        await server.understands('paths', ask(server, call, { task: name, options, paths: ['/text'] }), name);
      }
      await server.understands(
        'paths',
        ask(server, call, { paths: ['/text'] }),
        'CleanMetadataInput',
        'metadataClean',
      );
      const items = { scene: ['1'], image: ['2'], gallery: ['3'] };
      for (const name of ['metadataIdentify', 'metadataAutoTag'] as const) {
        const options = name === 'metadataIdentify' ? { sources: [source] } : null;
        await server.understands(
          name,
          ask(server, call, { task: name, options, items }),
          'findScene',
          'findImage',
        );
      }
      await server.understands('findScene', itemFolders(server.asServer, items, call), 'findImage');
    },
    'whether a library folder is there': async (server, call) => {
      await server.understands(
        'CleanMetadataInput',
        ask(server, call, { cleanAnyway: false }),
        'metadataClean',
      );
    },
    "the server's plugins and tasks": async (server, call) => {
      await server.understands('plugins', pluginTasks(server.asServer, call));
    },
  },
  messages: {
    STARTED: ({ ask }) => ask({ task: 'metadataAutoTag' }),
    'FINISHED, with what a clean would remove': async ({ stash, ask }) => {
      stash.library.vanish('/media/videos/Lanterna');
      return await ask({ task: 'metadataClean', dryRun: true, ...replyFinished });
    },
    'FINISHED, after a lost answer': async ({ stash, ask }) => {
      stash.answerWith(loseAnswer, { field: 'optimiseDatabase' });
      return await ask({ task: 'optimiseDatabase', ...replyFinished });
    },
    progress: (stage) => progressOfJob(stage, { task: 'metadataAutoTag' }),
  },
  byHand: {
    mistake: async (dialog) => {
      await dialog.choose('task', words('task', 'task.runPluginTask'));
      await dialog.tells('plugin', words('task', 'invalid.plugin'));
      await dialog.choose('task', words('task', 'task.metadataAutoTag'));
      await dialog.isSilent('plugin');
      await dialog.chooseOwn('scope', words('task', 'scope.scenes'));
      await dialog.chooseType('sceneIDs', 'string');
      await dialog.typeValue('sceneIDs', 'the first');
      await dialog.tells('sceneIDs', words('server', 'invalid.sceneIDs'));
      await dialog.chooseType('options', 'JSON');
      await dialog.typeValue('options', '[1]');
      await dialog.tells('options', words('task', 'invalid.options'));
    },
    correct: async (dialog) => {
      await dialog.chooseOwn('scope', words('task', 'scope.folders'));
      await dialog.chooseType('paths', 'string');
      await dialog.typeValue('paths', '/media/videos');
      await dialog.typeValue('options', '{"performers": ["*"]}');
      await dialog.isSilent('options');
    },
    kept: {
      task: 'metadataAutoTag',
      sceneIDs: 'the first',
      paths: '/media/videos',
      pathsType: 'str',
      options: '{"performers": ["*"]}',
      optionsType: 'json',
      reply: 'finished',
      outputs: 2,
    },
    shown: {
      task: words('task', 'task.metadataAutoTag'),
      packageType: words('task', 'packageType.Plugin'),
      reply: words('server', 'reply.finished'),
      outputs: '2',
    },
    answers: [
      {
        payload: /status: "FINISHED"/,
        summary: /Auto tag task for \/media\/videos on home finished \(/,
      },
    ],
    status: /^done in .+$/,
  },
  states: [
    { ...finished, ...mistakes, task: 'metadataClean', dryRun: true },
    { task: 'metadataIdentify', '#stash-scope': 'scenes', sceneIDs: ['str', 'first'] },
    { task: 'metadataAutoTag', '#stash-scope': 'folders', paths: ['str', ''], options: ['json', '['] },
    { task: 'runPluginTask' },
    { task: 'runPluginTask', plugin: ['msg', ''] },
    { task: 'updatePackages' },
  ],
};
