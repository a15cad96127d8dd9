import assert from 'node:assert/strict';
import { updateFields, updateKinds } from '../../../src/contract/update';
import { update } from '../../../src/operations/update';
import { json, send } from '../../fake-stash/answers';
import { words } from '../../support/words';
import { releaseColumn, type Sample } from '../../support/sample';

const rated = [{ field: 'rating', action: 'set', value: '80', valueType: 'num' }];
const tagged = [{ field: 'tags', action: 'add', value: 'To do', valueType: 'str' }];
const SCENES = { items: '[1, 2]', itemsType: 'json' };

/** A value for each field. */
const values: Readonly<Record<string, unknown>> = {
  ...{
    tags: [{ id: '1' }],
    performers: [{ id: '1' }],
    studio: { id: '1' },
    rating: 80,
    organized: true,
    favorite: true,
  },
  ...{
    title: 'text',
    details: 'text',
    date: '2026-01-11',
    urls: ['http://x.example'],
    playCount: 1,
    oCounter: 1,
  },
};

export const sample: Sample = {
  readme: 'changes tags, studio, rating and more of items',
  asDragged: { code: 'BAD_INPUT' },
  releases: Object.fromEntries(
    updateKinds.map((kind) => [
      `update ${kind}`,
      releaseColumn('stash-update', {
        before: ({ people }) => {
          if (people.all.length === 0) people.add({ name: 'Hana' });
        },
        ways: [{ properties: { kind, items: '1', itemsType: 'str', changes: rated } }],
        holds: ({ payload }) => {
          const { ids, unchanged } = payload as { ids: string[]; unchanged: string[] };
          assert.deepEqual([...ids, ...unchanged], ['1']);
        },
      }),
    ]),
  ),
  documents: Object.fromEntries(
    updateKinds.map((kind) => [
      `changes of each field of the kind ${kind}`,
      async (server, call) => {
        const one = `find${kind.replace(/^./, (letter) => letter.toUpperCase())}`;
        for (const [field, rules] of Object.entries(updateFields)) {
          if (!(rules.kinds as readonly string[]).includes(kind)) continue;
          for (const action of rules.actions) {
            const changes = [{ field: field as keyof typeof updateFields, action, value: values[field] }];
            const edits = [{ ids: ['text'], changes }];
            const input = { kind, edits, create: false, atMost: 10, dryRun: false };
            await server.understands(`${kind}.${field}`, update(server.asServer, input, call), one);
          }
        }
      },
    ]),
  ),
  messages: {
    changed: ({ ask }) => ask({ ...SCENES, changes: rated }),
    'changed, with a new tag': ({ ask }) => ask({ ...SCENES, changes: tagged, create: true }),
    'a dry run': ({ ask }) => ask({ ...SCENES, changes: tagged, create: true, dryRun: true }),
    'changed, but for one that somebody removes': ({ ask, stash }) => {
      stash.answerWith(
        async (request, response, _body, execute) => {
          const [scene] = stash.library.all('scene');
          if (scene) stash.library.remove(scene);
          send(request, response, await execute());
        },
        { field: 'bulkSceneUpdate', times: 1 },
      );
      return ask({ ...SCENES, changes: rated });
    },
    'an error after a part of it': ({ ask, stash }) => {
      const refused = json({ errors: [{ message: 'database is locked' }], data: null });
      stash.answerWith(refused, { field: 'bulkSceneUpdate' });
      return ask({ ...SCENES, changes: tagged, create: true });
    },
    'an empty list': ({ ask }) => ask({ changes: rated }, { payload: [] }),
  },
  byHand: {
    mistake: async (dialog) => {
      await dialog.chooseType('items', 'JSON');
      await dialog.typeValue('items', '[1, 2]');
      await dialog.chooseInRow(1, 'action', words('update', 'action.remove'));
      await dialog.tellsInRow(1, 'value', words('update', 'invalid.tag'));
      await dialog.chooseInRow(1, 'field', words('update', 'fields.playCount'));
      await dialog.typeInRow(1, '101');
      await dialog.tellsInRow(1, 'value', words('update', 'invalid.count'));
      await dialog.type('atMost', 'many');
      await dialog.tells('atMost', words('update', 'invalid.atMost'));
    },
    correct: async (dialog) => {
      await dialog.type('atMost', '10');
      await dialog.chooseInRow(1, 'field', words('update', 'fields.organized'));
    },
    kept: {
      items: '[1, 2]',
      itemsType: 'json',
      atMost: '10',
      changes: [{ field: 'organized', action: 'set', value: 'true', valueType: 'bool' }],
    },
    shown: { kind: words('update', 'kind.scene') },
    answers: [
      { payload: /ids: array\[2\]|ids: \[/, summary: /Changed on home: 2 scenes \(Organized = yes\)\./ },
    ],
    status: /^2 changed$/,
  },
  states: [
    { kind: 'performer', items: ['json', '['] },
    { kind: 'image', items: ['chosen', '["1", "99"]'] },
  ],
};
