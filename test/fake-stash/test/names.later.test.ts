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
});
