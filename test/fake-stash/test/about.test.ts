import assert from 'node:assert/strict';
import { LIMITED, OFFLINE } from '../github';
import { type Release, releases } from '../releases';
import { servers } from './client';

const COUNTS = 'scene_count image_count gallery_count studio_count';
const dated = releases.slice(1);

/** The releases from one on. */
function since(first: Release): Release[] {
  return dated.slice(dated.indexOf(first));
}

/** The releases before one. */
function before(first: Release): Release[] {
  return dated.slice(0, dated.indexOf(first));
}

describe('Fake server: the latest release', () => {
  const start = servers();
  const LATEST = '{ latestversion { version shorthash release_date url } }';

  for (const release of since('v0.23.1')) {
    it(`is named as ${release}, with a hash as long as its own`, async () => {
      const { stash, value } = await start({ release });
      const { version, date: release_date, url } = stash.github.latest;
      assert.deepEqual(await value(LATEST), { version, shorthash: '9d1f4c06', release_date, url });
      assert.equal(stash.github.requests, 1);
    });
  }

  for (const release of before('v0.23.1')) {
    it(`has only a hash and an address as ${release}`, async () => {
      const { stash, value, failure } = await start({ release });
      const { url } = stash.github.latest;
      assert.deepEqual(await value('{ latestversion { shorthash url } }'), { shorthash: '9d1f4c06', url });
      assert.match(String(await failure(LATEST)), /Cannot query field "version" on type "ShortVersion"/);
    });
  }

  for (const reason of [OFFLINE, LIMITED]) {
    it(`is an error with 200 and without data: ${reason}`, async () => {
      const { stash, post } = await start({ release: 'v0.30.1' });
      stash.github.failure = reason;
      const response = await post(LATEST);
      const { data, errors } = (await response.json()) as { data: unknown; errors: { message: string }[] };
      assert.deepEqual([response.status, data], [200, null]);
      assert.deepEqual(
        errors.map(({ message }) => message),
        [`Github API request failed: ${reason}`],
      );
    });
  }
});

describe('Fake server: the statistics', () => {
  const start = servers();

  for (const release of dated) {
    it(`count the library as ${release}`, async () => {
      const { stash, value } = await start({ release });
      const counts = { scene_count: 5, image_count: 1, gallery_count: 0, studio_count: stash.studios.length };
      assert.deepEqual(await value(`{ stats { ${COUNTS} } }`), counts);
    });

    it(`are an error without a database as ${release}`, async () => {
      const { stash, failure } = await start({ release });
      stash.status = 'SETUP';
      assert.equal(await failure(`{ stats { ${COUNTS} } }`), stash.quirks.noDatabase);
    });
  }

  it('name groups since v0.27, before that movies', async () => {
    for (const [release, field] of [
      ['v0.25.1', 'movie_count'],
      ['v0.28.1', 'group_count'],
    ] as const) {
      const { value } = await start({ release });
      assert.deepEqual(await value(`{ stats { ${field} } }`), { [field]: 4 });
    }
  });
});
