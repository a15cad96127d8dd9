import assert from 'node:assert/strict';
import type { Release } from '../releases';
import { servers } from './client';

const TAGS = ['Bright Close-up', 'Bright Interview', 'Coastal Interview'];
const FIND = 'query ($q: String) { findTags(filter: { q: $q, sort: "name" }) { count tags { name } } }';

describe('Fake server: studios and tags by name', () => {
  const start = servers();

  for (const [release, expected] of Object.entries<Record<string, number[]>>({
    // Seen on a server of each release.
    'v0.11.0': {
      'bright interview': [0, 1, 2],
      '"bright interview"': [1],
      '"bright" "interview"': [],
      '-bright': [],
      '': [0, 1, 2],
    },
    'v0.30.1': {
      ...{ 'bright interview': [1], 'interview bright': [1], '"bright interview"': [1], '': [0, 1, 2] },
      ...{ '-bright': [2], 'coastal or close-up': [0, 2], '"coastal" "or"': [] },
    },
  })) {
    it(`${release} finds ${release === 'v0.11.0' ? 'any' : 'all'} of several words`, async () => {
      const { stash, value } = await start({ release: release as Release });
      stash.tags = TAGS.map((name, index) => ({ id: String(index), name }));
      for (const [q, indices] of Object.entries(expected)) {
        const found = indices.map((index) => ({ name: TAGS[index] }));
        assert.deepEqual(await value(FIND, { q }), { count: found.length, tags: found }, q);
      }
    });
  }

  it('finds studios by an alias, by a pattern of the name, and page by page', async () => {
    const { stash, value } = await start({ release: 'v0.30.1' });
    const child = { id: '9', name: 'Ninth', parent: '1', aliases: ['Nine'] };
    stash.studios = [...stash.studios, { ...child, url: null, hasImage: false, sceneCount: 0 }];
    const found = await value(
      '{ findStudios(filter: { q: "nine" }) { studios { name aliases parent_studio { name } } } }',
    );
    assert.deepEqual(found, {
      studios: [
        { name: 'Harbour Nine', aliases: [], parent_studio: null },
        { name: 'Ninth', aliases: ['Nine'], parent_studio: { name: 'Harbour Nine' } },
      ],
    });
    const named = '{ name: { value: "(?i)^(?:n|o)", modifier: MATCHES_REGEX } }';
    assert.deepEqual(await value(`{ findStudios(studio_filter: ${named}) { studios { id } } }`), {
      studios: [{ id: '9' }, { id: '6' }],
    });
    assert.deepEqual(
      await value('{ findStudios(filter: { page: 2, per_page: 5 }) { count studios { id } } }'),
      {
        count: 7,
        studios: [{ id: '3' }, { id: '5' }],
      },
    );
  });

  for (const [release, first] of [
    ['v0.17.2', ['6', '4']],
    ['v0.23.1', ['4', '1']],
  ] as const) {
    it(`${release} sorts a scene without a title ${first[0] === '6' ? 'before all others' : 'by its file'}`, async () => {
      const { stash, value } = await start({ release });
      stash.library.add({ path: '/media/videos/Z.mp4' }, '2024-01-10T10:00:00Z');
      assert.deepEqual(
        await value('{ findScenes(filter: { sort: "title", per_page: 2 }) { scenes { id } } }'),
        {
          scenes: first.map((id) => ({ id })),
        },
      );
    });
  }

  it('finds one of them by id, or null', async () => {
    const { value, stash, failure } = await start({ release: 'v0.30.1' });
    assert.deepEqual(await value('{ findTag(id: 2) { name } }'), { name: 'Documentary' });
    assert.deepEqual(await value('{ findStudio(id: 2) { name } }'), { name: 'Lanterna' });
    assert.equal(await value('{ findTag(id: 9) { name } }'), null);
    assert.equal(await value('{ findStudio(id: 9) { name } }'), null);
    stash.status = 'SETUP';
    assert.equal(await failure('{ findTag(id: 2) { name } }'), stash.quirks.noDatabase);
  });
});
