import assert from 'node:assert/strict';
import { servers } from './client';

const RATE =
  'mutation ($id: ID!, $to: Int) { sceneUpdate(input: { id: $id, rating100: $to }) { id rating100 organized } }';
const RATE_OF_5 =
  'mutation ($id: ID!, $to: Int) { sceneUpdate(input: { id: $id, rating: $to }) { id rating } }';
const PLAY = 'mutation ($id: ID!) { sceneAddPlay(id: $id) { count history } }';
const COUNT = 'mutation ($id: ID!) { sceneIncrementPlayCount(id: $id) }';

describe('Fake server: what users change of scenes', () => {
  const start = servers();

  it('changes a rating and nothing else, and refuses no number', async () => {
    const { value } = await start({ release: 'v0.30.1' });
    const organize = 'mutation { sceneUpdate(input: { id: "3", organized: true }) { id organized } }';
    assert.deepEqual(await value(organize), { id: '3', organized: true });
    for (const to of [80, 140, -5, null]) {
      assert.deepEqual(await value(RATE, { id: '3', to }), { id: '3', rating100: to, organized: true });
    }
    assert.deepEqual(await value('{ findScene(id: "4") { rating100 organized } }'), {
      rating100: null,
      organized: false,
    });
  });

  it('rates up to 5 before v0.18, and converts that from then to v0.23', async () => {
    const old = await start({ release: 'v0.17.2' });
    assert.deepEqual(await old.value(RATE_OF_5, { id: '3', to: 4 }), { id: '3', rating: 4 });
    assert.match(String(await old.failure(RATE, { id: '3', to: 80 })), /"rating100"/);
    const both = await start({ release: 'v0.23.1' });
    assert.deepEqual(await both.value(RATE_OF_5, { id: '3', to: 4 }), { id: '3', rating: 4 });
    assert.deepEqual(await both.value('{ findScene(id: "3") { rating rating100 } }'), {
      rating: 4,
      rating100: 80,
    });
    await both.value(RATE, { id: '3', to: 50 });
    assert.deepEqual(await both.value('{ findScene(id: "3") { rating rating100 } }'), {
      rating: 3,
      rating100: 50,
    });
    const { failure } = await start({ release: 'v0.25.1' });
    assert.match(String(await failure(RATE_OF_5, { id: '3', to: 4 })), /"rating"/);
  });

  for (const [release, expected] of [
    ['v0.11.0', 'id 9 does not exist in scenes'],
    ['v0.17.2', 'getting scene by id 9: sql: no rows in result set'],
    ['v0.23.1', 'scene with id 9 not found'],
    ['v0.30.1', 'scene with id 9 not found'],
  ] as const) {
    it(`reports as ${release} that the scene to change is unknown`, async () => {
      const { failure } = await start({ release });
      const rate = release < 'v0.18' ? RATE_OF_5 : RATE;
      assert.equal(await failure(rate, { id: '9', to: 3 }), expected);
    });
  }

  it('says what it cannot change', async () => {
    const { failure } = await start({ release: 'v0.30.1' });
    const cover = 'mutation { sceneUpdate(input: { id: "3", cover_image: "" }) { id } }';
    assert.equal(await failure(cover), 'the fake server cannot change cover_image');
  });

  it('counts playbacks, the latest first, and finds the scenes that were played', async () => {
    const { value, failure, stash } = await start({ release: 'v0.30.1' });
    stash.clock.stop();
    assert.equal(await value(COUNT, { id: '2' }), 1);
    stash.clock.ahead = 60_000;
    const history = [stash.clock.second(), stash.clock.second(-60_000)];
    await value(PLAY, { id: '3' });
    assert.deepEqual(await value(PLAY, { id: '2' }), { count: 2, history });
    const old = 'mutation { sceneAddPlay(id: "3", times: ["2024-01-01T10:00:00Z"]) { count history } }';
    assert.deepEqual(await value(old), { count: 2, history: [history[0], '2024-01-01T10:00:00Z'] });
    stash.clock.ahead = 120_000;
    await value(PLAY, { id: '2' });

    const found = async (criteria: string, direction: string) => {
      const filter = `filter: { sort: "last_played_at", direction: ${direction} }`;
      const query = `{ findScenes(${filter}, scene_filter: ${criteria}) { scenes { id play_count } } }`;
      const { scenes } = (await value(query)) as { scenes: { id: string; play_count: number }[] };
      return scenes.map(({ id, play_count }) => `${id}: ${play_count}`);
    };
    assert.deepEqual(await found('{}', 'DESC'), ['2: 3', '3: 2', '4: 0', '1: 0', '5: 0']);
    const played = '{ play_count: { value: 0, modifier: GREATER_THAN } }';
    assert.deepEqual(await found(played, 'ASC'), ['3: 2', '2: 3']);
    assert.match(
      String(await failure(PLAY, { id: '9' })),
      /^inserting into scenes_view_dates: .* FOREIGN KEY/,
    );
  });

  it('saves since v0.18 where to resume a scene, and adds up how long it was watched', async () => {
    const { value, failure } = await start({ release: 'v0.23.1' });
    const save = (id: string) => `mutation ($resume: Float, $watched: Float) {
      sceneSaveActivity(id: "${id}", resume_time: $resume, playDuration: $watched)
    }`;
    const total = async () => (await value('{ stats { total_play_duration } }')) as object;
    const before = await total();
    assert.equal(await value(save('2'), { resume: 10, watched: 10 }), true);
    await value(save('2'), { watched: 7.5 });
    const query = '{ findScene(id: "2") { resume_time play_duration play_count last_played_at } }';
    assert.deepEqual(await value(query), {
      resume_time: 10,
      play_duration: 17.5,
      play_count: 0,
      last_played_at: null,
    });
    assert.notDeepEqual(await total(), before);
    assert.equal(await failure(save('9'), { resume: 1 }), 'id 9 does not exist in scenes');
    const { failure: oldest } = await start({ release: 'v0.17.2' });
    assert.match(String(await oldest(save('2'))), /"sceneSaveActivity"/);
  });

  it('counts playbacks since v0.18, with their times since v0.25', async () => {
    const { failure: oldest } = await start({ release: 'v0.17.2' });
    assert.match(String(await oldest(COUNT, { id: '2' })), /"sceneIncrementPlayCount"/);
    const { value, failure } = await start({ release: 'v0.23.1' });
    assert.equal(await value(COUNT, { id: '2' }), 1);
    assert.equal(await failure(COUNT, { id: '9' }), 'id 9 does not exist in scenes');
    assert.match(String(await failure(PLAY, { id: '2' })), /"sceneAddPlay"/);
  });

  it('counts what is missing', async () => {
    const { value, failure, stash } = await start({ release: 'v0.9.0' });
    const [first] = stash.library.all('scene');
    assert.ok(first);
    stash.library.studioOf.set(first, '1');
    await value(RATE_OF_5, { id: '2', to: 3 });
    await value('mutation { sceneUpdate(input: { id: "3", organized: true }) { id } }');
    const count = (criteria: string) => value(`{ findScenes(scene_filter: ${criteria}) { count } }`);
    assert.deepEqual(await count('{ is_missing: "studio" }'), { count: 4 });
    assert.deepEqual(await count('{ is_missing: "rating" }'), { count: 4 });
    assert.deepEqual(await count('{ is_missing: "tags" }'), { count: 5 });
    assert.deepEqual(await count('{ organized: false }'), { count: 4 });
    assert.deepEqual(await count('{ organized: true }'), { count: 1 });
    const unknown = '{ findScenes(scene_filter: { is_missing: "nope" }) { count } }';
    assert.equal(await failure(unknown), 'no such column: scenes.nope');
  });
});
