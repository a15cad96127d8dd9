import assert from 'node:assert/strict';
import type { FakeStash } from '../fake-stash';
import { type Client, servers } from './client';

const STUDIOS = [
  { id: '1', name: 'Harbour Nine', url: null, hasImage: false, sceneCount: 1 },
  { id: '2', name: 'Lanterna', url: null, hasImage: true, sceneCount: 1, parent: '1' },
];
const TAGS = ['Documentary', 'Night'].map((name, index) => ({
  id: String(index + 1),
  name,
  aliases: [name[0] ?? ''],
}));

/** Replaces the library of a server. */
function fill(stash: FakeStash): void {
  const { library } = stash;
  for (const kind of ['scene', 'image'] as const)
    for (const entry of library.all(kind)) library.remove(entry);
  stash.studios = STUDIOS;
  stash.tags = TAGS;
  const robin = { name: 'Robin', birthdate: '1990-04-12', gender: 'FEMALE', favorite: true, tag_ids: ['2'] };
  for (const person of [robin, { name: 'Marco', gender: 'MALE' }, { name: 'Zoe' }]) stash.people.add(person);
  const add = (title: string, details: object) => {
    library.add({ path: `/media/videos/${title}.mp4`, title, details }, '2024-01-10T10:00:00Z');
  };
  add('Low Tide', {
    studio: 'Harbour Nine',
    tags: ['Documentary', 'Night'],
    performers: ['Robin', 'Marco'],
    date: '2023-05-01',
    text: 'Waves',
  });
  add('Ferry', {
    studio: 'Lanterna',
    tags: ['Night'],
    performers: ['Marco'],
    date: '2023-05-02',
    seconds: 90,
  });
  add('Part 10', { tags: ['Documentary'] });
  add('part 2', {});
  const [tide, , ten] = library.all('scene');
  if (tide) library.changes.set(tide, { rating: 80, organized: true });
  if (ten) library.changes.set(ten, { rating: 20, plays: ['2024-02-01T10:00:00Z'] });
  library.add({ path: '/media/pictures/Poster.jpg', title: 'Poster' }, '2024-01-10T10:00:00Z');
  library.add({ path: '/media/pictures' }, '2024-01-10T10:00:00Z');
  const first = tide?.id ?? '';
  stash.markers.add({ title: 'Storm', seconds: 12, scene: first, tag: '2' });
  stash.markers.add({ title: 'Calm', seconds: 3, scene: first, tag: '1' });
  stash.groups.add({
    name: 'Trilogy',
    date: '2020-01-01',
    duration: 3600,
    studio: 'Lanterna',
    scenes: [first],
  });
  stash.groups.add({ name: 'Epic' });
}

/** Returns the titles or names that a server finds, in their order. */
async function found({ value }: Client, type: string, criteria: string, filter = '{ sort: "id" }') {
  const argument = type === 'SceneMarker' ? 'scene_marker' : type.toLowerCase();
  const list = type === 'SceneMarker' ? 'scene_markers' : type === 'Gallery' ? 'galleries' : `${argument}s`;
  const name = /Scene|Image|Gallery/.test(type) ? 'title' : 'name';
  const field = `find${type.replace(/y$/, 'ie')}s(filter: ${filter}, ${argument}_filter: ${criteria})`;
  const answer = (await value(`{ ${field} { count ${list} { ${name} } } }`)) as Record<string, object[]>;
  return (answer[list] ?? []).map((item) => (item as Record<string, string>)[name]);
}

describe('Fake server: finding items', () => {
  const start = servers();

  async function filled(): Promise<Client> {
    const client = await start({ release: 'v0.30.1' });
    fill(client.stash);
    return client;
  }

  for (const [type, criteria, expected] of [
    ['Scene', '{ title: { value: "part 10", modifier: EQUALS } }', ['Part 10']],
    ['Scene', '{ title: { value: "tide part", modifier: INCLUDES } }', ['Low Tide', 'Part 10', 'part 2']],
    ['Scene', '{ title: { value: "\\"part 1\\"", modifier: INCLUDES } }', ['Part 10']],
    ['Scene', '{ details: { value: "x", modifier: NOT_EQUALS } }', ['Low Tide']],
    ['Scene', '{ path: { value: "(?i)^/MEDIA/.*/Part", modifier: MATCHES_REGEX } }', ['Part 10', 'part 2']],
    ['Scene', '{ play_count: { value: 0, modifier: GREATER_THAN } }', ['Part 10']],
    [
      'Scene',
      '{ play_count: { value: 0, modifier: EQUALS }, NOT: { organized: true } }',
      ['Ferry', 'part 2'],
    ],
    ['Scene', '{ is_missing: "studio" }', ['Part 10', 'part 2']],
    ['Scene', '{ tags_filter: { name: { value: "night", modifier: EQUALS } } }', ['Low Tide', 'Ferry']],
    ['Scene', '{ studios: { value: ["2", "9"], modifier: INCLUDES, depth: 0 } }', ['Ferry']],
    ['Scene', '{ tags: { value: ["1", "2"], modifier: INCLUDES_ALL } }', ['Low Tide']],
    ['Scene', '{ groups: { value: ["1"], modifier: INCLUDES } }', ['Low Tide']],
    ['Performer', '{ is_missing: "image" }', ['Robin', 'Marco', 'Zoe']],
    ['Studio', '{ scene_count: { value: 0, modifier: GREATER_THAN } }', ['Harbour Nine', 'Lanterna']],
  ] as const) {
    it(`finds ${expected.join(', ')} as ${type} by ${criteria}`, async () => {
      assert.deepEqual(await found(await filled(), type, criteria), expected);
    });
  }

  for (const [type, filter, expected] of [
    ['Scene', '{ sort: "title" }', ['Ferry', 'Low Tide', 'part 2', 'Part 10']],
    ['Scene', '{ sort: "date", direction: DESC, per_page: 2 }', ['Ferry', 'Low Tide']],
    ['Scene', '{ sort: "id", direction: DESC, page: 2, per_page: 3 }', ['Low Tide']],
    ['SceneMarker', '{ q: "night" }', ['Storm']],
    ['Group', '{ sort: "duration", direction: DESC, per_page: 1 }', ['Trilogy']],
  ] as const) {
    it(`lists ${expected.join(', ')} as ${type} with ${filter}`, async () => {
      assert.deepEqual(await found(await filled(), type, '{}', filter), expected);
    });
  }

  it('repeats a random order with its seed', async () => {
    const client = await filled();
    const order = async (sort: string) => (await found(client, 'Scene', '{}', `{ sort: "${sort}" }`)).join();
    assert.equal(await order('random_12345678'), await order('random_12345678'));
    const orders = new Set(await Promise.all([1, 2, 3, 4, 5].map((seed) => order(`random_${seed}`))));
    assert.ok(orders.size > 1);
  });

  for (const [criteria, expected] of [
    ['{ duplicated: { duplicated: true } }', 'the criterion duplicated'],
    ['{ AND: { organized: true } }', 'the criterion AND'],
    ['{ title: { value: "", modifier: IS_NULL } }', 'IS_NULL of a text'],
    ['{ play_count: { value: 1, modifier: BETWEEN } }', 'BETWEEN of a number'],
  ] as const) {
    it(`says that it does not implement ${expected}`, async () => {
      const { failure } = await filled();
      const refusal = await failure(`{ findScenes(scene_filter: ${criteria}) { count } }`);
      assert.equal(refusal, `the fake server does not implement ${expected}`);
    });
  }
});
