import assert from 'node:assert/strict';
import { generateKinds } from '../../../src/contract/generate';
import {
  generate,
  generateOptions,
  generateSince,
  type PreviewOptions,
} from '../../../src/operations/tasks/generate';
import { finished, mistakes } from '../../browser/fields';
import { words } from '../../support/words';
import { isJob, releaseColumn, type Sample } from '../../support/sample';
import { progressOfJob, replyFinished } from '../../contract/stage';

export const sample: Sample = {
  readme: 'generates previews, sprites, transcodes and more',
  checkboxes: [...generateKinds, ...generateOptions],
  since: generateSince,
  // No kind is ticked.
  asDragged: { code: 'BAD_INPUT' },
  releases: {
    generate: releaseColumn('stash-generate', {
      ways: [
        {
          properties: { sprites: true, previews: true, imagePreviews: true, markers: true, transcodes: true },
        },
      ],
      holds: isJob,
    }),
  },
  documents: {
    'generate, with any kind and option, with paths and scenes': async (server, call) => {
      const all = { kinds: ['sprites'], options: [], paths: null, sceneIDs: null } as const;
      const ask = (input: Partial<Parameters<typeof generate>[1]>) =>
        generate(server.asServer, { ...all, ...input }, call);
      for (const kind of generateKinds) await server.understands(kind, ask({ kinds: [kind] }));
      for (const option of generateOptions) await server.understands(option, ask({ options: [option] }));
      await server.understands('sceneIDs', ask({ sceneIDs: ['1', '2'] }));
      const previewOptions: PreviewOptions = {
        previewSegments: 5,
        previewSegmentDuration: 0.75,
        previewExcludeStart: '2%',
        previewExcludeEnd: '1',
        previewPreset: 'slow',
      };
      await server.understands('previewOptions', ask({ kinds: ['previews'], previewOptions }));
      await server.understands('markerIDs', ask({ kinds: ['markers'], markerIDs: ['1', '2'] }));
      for (const name of ['imageIDs', 'galleryIDs']) {
        await server.understands(name, ask({ kinds: ['imageThumbnails'], [name]: ['1', '2'] }));
      }
      await server.understands('paths', ask({ paths: ['/text'] }));
    },
  },
  messages: {
    STARTED: ({ ask }) => ask({ sprites: true }),
    FINISHED: ({ ask }) => ask({ sprites: true, ...replyFinished }),
    SKIPPED: ({ ask }) =>
      ask({ sprites: true, sceneIDs: 'payload', sceneIDsType: 'msg' }, { payload: '999999' }),
    progress: (stage) => progressOfJob(stage, { sprites: true }),
  },
  byHand: {
    mistake: async (dialog) => {
      for (const kind of ['sprites', 'previews']) await dialog.tick(kind);
      await dialog.tells('sprites', words('generate', 'invalid.kinds'));
      assert.ok(await dialog.isFlagged('sprites'));
      // Options alone generate nothing.
      await dialog.tick('overwrite');
      assert.ok(await dialog.isFlagged('sprites'));
      await dialog.chooseOwn('scope', words('generate', 'scope.scenes'));
      await dialog.chooseType('sceneIDs', 'string');
      await dialog.typeValue('sceneIDs', 'the first');
      await dialog.tells('sceneIDs', words('server', 'invalid.sceneIDs'));
    },
    correct: async (dialog) => {
      await dialog.openSection('imageIDs');
      await dialog.tick('clipPreviews');
      await dialog.isSilent('sprites');
      await dialog.openSection('markerIDs');
      await dialog.tick('markers');
      await dialog.tick('markerScreenshots');
      await dialog.chooseOwn('scope', words('generate', 'scope.markers'));
      await dialog.text(words('generate', 'note.markers')).waitFor();
      assert.ok(await dialog.input('clipPreviews').isDisabled());
      await dialog.chooseType('markerIDs', 'string');
      await dialog.typeValue('markerIDs', 'intro');
      await dialog.tells('markerIDs', words('generate', 'invalid.markerIDs'));
      await dialog.typeValue('markerIDs', '2');
      await dialog.isSilent('markerIDs');
      await dialog.tick('markers');
      await dialog.tells('sprites', words('generate', 'invalid.kinds'));
      await dialog.tick('markers');
      await dialog.isSilent('sprites');
      await dialog.chooseOwn('scope', words('generate', 'scope.scenes'));
      await dialog.typeValue('sceneIDs', '2');
      await dialog.isSilent('sceneIDs');
      await dialog.openSection('previews');
      assert.ok(await dialog.input('previewSegments').isDisabled());
      await dialog.tick('previews');
      for (const [property, wrong, right, reason] of [
        ['previewSegments', '0', '5', 'previewSegments'],
        ['previewSegmentDuration', '0', '0.8', 'previewSegmentDuration'],
        ['previewExcludeStart', '2 percent', '2%', 'previewExclude'],
        ['previewExcludeEnd', '-1', '', 'previewExclude'],
      ] as const) {
        await dialog.type(property, wrong);
        await dialog.tells(property, words('generate', `invalid.${reason}`));
        await dialog.type(property, right);
        await dialog.isSilent(property);
      }
      await dialog.choose('previewPreset', 'veryfast');
    },
    kept: {
      previews: true,
      markers: true,
      markerScreenshots: true,
      clipPreviews: true,
      overwrite: true,
      sceneIDs: '2',
      sceneIDsType: 'str',
      markerIDs: '2',
      previewSegments: '5',
      previewSegmentDuration: '0.8',
      previewExcludeStart: '2%',
      previewPreset: 'veryfast',
      reply: 'finished',
      outputs: 2,
    },
    shown: { previewPreset: 'veryfast', reply: words('server', 'reply.finished'), outputs: '2' },
    answers: [{ payload: /status: "FINISHED"/, summary: /Generate task for 1 scene on home finished \(/ }],
    status: /^done in .+$/,
  },
  states: [
    { ...finished, ...mistakes, '#stash-scope': 'scenes', sceneIDs: ['str', 'first'] },
    { '#stash-scope': 'folders', paths: ['str', ''] },
    { '#stash-scope': 'scenes', sceneIDs: ['scenes', '["1", "99"]'] },
    { '#stash-scope': 'markers', markerIDs: ['str', 'intro'] },
    { previews: true, previewSegments: '0', previewSegmentDuration: '0', previewExcludeStart: 'x' },
  ],
};
