import assert from 'node:assert/strict';
import { StashError } from '../../../src/errors';
import { allKinds } from '../../../src/contract/kinds';
import { find, type FindInput, type Found } from '../../../src/operations/find';
import { namesOf } from '../../../src/operations/items';
import { words } from '../../support/words';
import type { Message } from '../../support/flow';
import { releaseColumn, type Sample } from '../../support/sample';

const input: FindInput = {
  kind: 'scene',
  filter: { by: 'none' },
  search: null,
  sort: '',
  direction: '',
  limit: 25,
  each: false,
  picture: 'none',
};

export const sample: Sample = {
  readme: 'finds items by a filter saved in Stash',
  releases: Object.fromEntries(
    allKinds.map((kind) => [
      `find ${kind}`,
      releaseColumn('stash-find', {
        ways: [{ properties: { kind, picture: 'buffer' } }],
        holds: ({ payload }) => {
          assert.ok(Array.isArray(payload));
        },
      }),
    ]),
  ),
  documents: Object.fromEntries(
    allKinds.map((kind) => [
      `items of the kind ${kind}`,
      async (server, call) => {
        const { all } = namesOf(kind);
        const ask = (changes: Partial<FindInput>) =>
          Promise.resolve(find(server.asServer, { ...input, kind, ...changes }, call) as Promise<Found>);
        for (const limit of [25, Infinity]) await server.understands(all, ask({ limit }));
        // Older releases give a filter as JSON, which the made-up text is not.
        const saved = ask({ filter: { by: 'saved', filter: 'text' } }).catch((error: unknown) => {
          if (!(error instanceof StashError) || error.case !== 'BAD_INPUT.criterion') throw error;
        });
        await server.understands('findSavedFilters', saved, all);
      },
    ]),
  ),
  messages: {
    'a list': ({ ask }) => ask({ limit: '2', sort: 'title' }),
    'a list with pictures': ({ ask }) => ask({ limit: '1', sort: 'title', picture: 'dataUrl' }),
    'one of several messages': async ({ start }) => {
      const flow = await start({ each: true, limit: '2', sort: 'title' });
      const id = flow.send();
      await flow.until(() => flow.hasEnded(id));
      return flow.sentOn(id).map((msg: Message) => ({ output: 1, msg }));
    },
    performers: async ({ stash, ask }) => {
      stash.people.add({ name: 'Hana Sato' });
      return await ask({ kind: 'performer', limit: '1' });
    },
    studios: ({ ask }) => ask({ kind: 'studio', limit: '1' }),
    tags: ({ ask }) => ask({ kind: 'tag', limit: '1' }),
    markers: async ({ stash, ask }) => {
      stash.markers.add({ title: 'The bridge', seconds: 90, scene: '1', tag: '1' });
      return await ask({ kind: 'marker', limit: '1' });
    },
    groups: async ({ stash, ask }) => {
      stash.groups.add({ name: 'Harbours', duration: 3600 });
      return await ask({ kind: 'group', limit: '1' });
    },
  },
  byHand: {
    mistake: async (dialog) => {
      await dialog.type('limit', 'many');
      await dialog.tells('limit', words('find', 'invalid.limit'));
      const first = dialog.input('direction').locator('option').first();
      assert.equal(await first.textContent(), words('find', 'direction.usual'));
      await dialog.chooseType('filter', words('find', 'filter.url'));
      assert.equal(await first.textContent(), words('find', 'sort.filter'));
      await dialog.tells('filter', words('find', 'invalid.url'));
      await dialog.chooseType('filter', 'JSON');
      await dialog.typeValue('filter', '[1]');
      await dialog.tells('filter', words('find', 'invalid.filter'));
    },
    correct: async (dialog) => {
      await dialog.type('limit', '2');
      await dialog.typeValue('filter', '{"organized": false}');
      await dialog.choose('sort', words('find', 'sorts.title'));
    },
    kept: { filter: '{"organized": false}', filterType: 'json', sort: 'title', limit: '2' },
    shown: {
      kind: words('find', 'kind.scene'),
      sort: words('find', 'sorts.title'),
      direction: words('find', 'direction.usual'),
    },
    answers: [{ payload: /^\[ object, object \]$/, summary: /Found on home: 2 scenes \(\d+ in all\)\./ }],
    status: /^2 of \d+$/,
  },
  states: [
    { filter: ['saved', ''], search: ['str', ''] },
    { filter: ['url', 'http://nas:9999/scenes'], kind: 'group' },
  ],
};
