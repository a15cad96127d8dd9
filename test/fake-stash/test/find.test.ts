import assert from 'node:assert/strict';
import { getNamedType, isInputObjectType } from 'graphql';
import type { FakeStash } from '../fake-stash';
import type { Release } from '../releases';
import { schemaOf } from '../schema';
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

/** A criterion of each form; that of another filter is empty. */
const CRITERIA: Readonly<Record<string, unknown>> = {
  Boolean: true,
  String: 'id',
  StringCriterionInput: { value: 'x', modifier: 'EQUALS' },
  IntCriterionInput: { value: 1, modifier: 'EQUALS' },
  FloatCriterionInput: { value: 1.5, modifier: 'EQUALS' },
  DateCriterionInput: { value: '2024-01-10', modifier: 'EQUALS' },
  TimestampCriterionInput: { value: '2024-01-10', modifier: 'EQUALS' },
  MultiCriterionInput: { value: ['1'], modifier: 'INCLUDES' },
  HierarchicalMultiCriterionInput: { value: ['1'], modifier: 'INCLUDES', depth: 0 },
  GenderCriterionInput: { value: 'MALE', modifier: 'EQUALS' },
  CircumcisionCriterionInput: { value: ['CUT'], modifier: 'INCLUDES' },
  OrientationCriterionInput: { value: ['SQUARE'] },
  ResolutionCriterionInput: { value: 'LOW', modifier: 'EQUALS' },
  PhashDistanceCriterionInput: { value: 'x', modifier: 'EQUALS' },
  PHashDuplicationCriterionInput: { duplicated: true },
  StashIDCriterionInput: { modifier: 'IS_NULL' },
  CustomFieldCriterionInput: { field: 'x', modifier: 'IS_NULL' },
};

describe('Fake server: finding items', () => {
  const start = servers();

  async function filled(release: Release = 'v0.30.1'): Promise<Client> {
    const client = await start({ release });
    fill(client.stash);
    return client;
  }

  for (const [criteria, expected] of [
    ['{ title: { value: "part 10", modifier: EQUALS } }', ['Part 10']],
    ['{ title: { value: "tide part", modifier: INCLUDES } }', ['Low Tide', 'Part 10', 'part 2']],
    ['{ title: { value: "\\"part 1\\"", modifier: INCLUDES } }', ['Part 10']],
    ['{ title: { value: "tide part", modifier: EXCLUDES } }', ['Ferry']],
    ['{ details: { value: "", modifier: NOT_NULL } }', ['Low Tide']],
    ['{ details: { value: "x", modifier: NOT_EQUALS } }', ['Low Tide']],
    ['{ rating100: { value: 20, value2: 80, modifier: BETWEEN } }', ['Low Tide', 'Part 10']],
    ['{ rating100: { value: 0, modifier: IS_NULL } }', ['Ferry', 'part 2']],
    ['{ play_count: { value: 0, modifier: EQUALS } }', ['Low Tide', 'Ferry', 'part 2']],
    ['{ duration: { value: 60, modifier: GREATER_THAN } }', ['Ferry']],
    ['{ date: { value: "2023-05-02", modifier: LESS_THAN } }', ['Low Tide']],
    ['{ organized: true }', ['Low Tide']],
    ['{ is_missing: "studio" }', ['Part 10', 'part 2']],
    ['{ has_markers: "true" }', ['Low Tide']],
    ['{ tags: { value: ["1", "2"], modifier: INCLUDES } }', ['Low Tide', 'Ferry', 'Part 10']],
    ['{ tags: { value: ["1", "2"], modifier: INCLUDES_ALL } }', ['Low Tide']],
    ['{ tags: { value: ["1"], modifier: EXCLUDES } }', ['Ferry', 'part 2']],
    ['{ tags: { value: ["2"], excludes: ["1"], modifier: INCLUDES } }', ['Ferry']],
    ['{ tags: { value: ["2"], modifier: EQUALS } }', ['Ferry']],
    ['{ tags: { modifier: IS_NULL } }', ['part 2']],
    ['{ studios: { value: ["1"], modifier: INCLUDES } }', ['Low Tide']],
    ['{ studios: { value: ["1"], depth: -1, modifier: INCLUDES } }', ['Low Tide', 'Ferry']],
    ['{ performers: { value: ["1"], modifier: EXCLUDES } }', ['Ferry', 'Part 10', 'part 2']],
    ['{ performers_filter: { name: { value: "robin", modifier: EQUALS } } }', ['Low Tide']],
    ['{ resolution: { value: QUAD_HD, modifier: LESS_THAN }, orientation: { value: [PORTRAIT] } }', []],
    [
      '{ organized: true, OR: { play_count: { value: 0, modifier: GREATER_THAN } } }',
      ['Low Tide', 'Part 10'],
    ],
    ['{ NOT: { tags: { modifier: NOT_NULL } } }', ['part 2']],
  ] as const) {
    it(`finds ${expected.join(', ') || 'none'} of the scenes by ${criteria}`, async () => {
      assert.deepEqual(await found(await filled(), 'Scene', criteria), expected);
    });
  }

  for (const [type, criteria, expected] of [
    ['Image', '{ galleries: { value: ["1"], modifier: INCLUDES } }', ['Poster']],
    ['Performer', '{ filter_favorites: true }', ['Robin']],
    ['Performer', '{ gender: { value_list: [MALE, FEMALE], modifier: INCLUDES } }', ['Robin', 'Marco']],
    ['Performer', '{ gender: { value_list: [MALE], modifier: EXCLUDES } }', ['Robin']],
    ['Performer', '{ birth_year: { value: 1990, modifier: EQUALS } }', ['Robin']],
    ['Performer', '{ is_missing: "scenes" }', ['Zoe']],
    ['Studio', '{ parents: { value: ["1"], modifier: INCLUDES } }', ['Lanterna']],
    ['Studio', '{ is_missing: "image" }', ['Harbour Nine']],
    ['Tag', '{ scene_count: { value: 2, modifier: EQUALS } }', ['Documentary', 'Night']],
    ['SceneMarker', '{ tags: { value: ["2"], modifier: INCLUDES } }', ['Storm']],
    ['SceneMarker', '{ scene_filter: { organized: false } }', []],
    ['Group', '{ performers: { value: ["1"], modifier: INCLUDES } }', ['Trilogy']],
    ['Group', '{ studios: { value: ["1"], depth: 1, modifier: INCLUDES } }', ['Trilogy']],
  ] as const) {
    it(`finds ${expected.join(' and ') || 'nothing'} as ${type} by ${criteria}`, async () => {
      assert.deepEqual(await found(await filled(), type, criteria), expected);
    });
  }

  for (const [type, filter, expected] of [
    ['Scene', '{ sort: "title" }', ['Ferry', 'Low Tide', 'part 2', 'Part 10']],
    ['Scene', '{ sort: "rating", direction: DESC }', ['Low Tide', 'Part 10', 'Ferry', 'part 2']],
    ['Scene', '{ sort: "date", direction: DESC, per_page: 2 }', ['Ferry', 'Low Tide']],
    ['Scene', '{ sort: "id", direction: DESC, page: 2, per_page: 3 }', ['Low Tide']],
    ['Scene', '{ sort: "id", q: "waves" }', ['Low Tide']],
    ['Scene', '{ sort: "id", q: "storm" }', ['Low Tide']],
    ['Performer', '{ direction: DESC }', ['Zoe', 'Robin', 'Marco']],
    ['Performer', '{ sort: "scenes_count", direction: DESC }', ['Marco', 'Robin', 'Zoe']],
    ['SceneMarker', '{}', ['Calm', 'Storm']],
    ['SceneMarker', '{ q: "night" }', ['Storm']],
    ['SceneMarker', '{ sort: "seconds", direction: DESC }', ['Storm', 'Calm']],
    ['Group', '{}', ['Epic', 'Trilogy']],
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
    const field = '{ findScenes(filter: { sort: "random_x" }) { count } }';
    assert.equal(await client.failure(field), 'invalid random seed: x');
  });

  for (const [criteria, expected] of [
    ['{ AND: {}, OR: {} }', 'cannot have AND and OR in the same filter'],
    [
      '{ title: { value: "", modifier: BETWEEN } }',
      'Internal system error. Error <unsupported string filter modifier>',
    ],
    [
      '{ rating100: { value: 1, modifier: INCLUDES } }',
      'Internal system error. Error <unsupported numeric modifier type INCLUDES>',
    ],
    [
      '{ performers: { value: ["1"], modifier: NOT_EQUALS } }',
      'not equals modifier is not supported for multi criterion input',
    ],
    ['{ duplicated: { duplicated: true } }', 'the fake server does not implement the criterion duplicated'],
    [
      '{ performer_tags: { modifier: IS_NULL } }',
      'the fake server does not implement IS_NULL of performer_tags',
    ],
  ] as const) {
    it(`refuses ${criteria}`, async () => {
      const { failure } = await filled();
      assert.equal(await failure(`{ findScenes(scene_filter: ${criteria}) { count } }`), expected);
    });
  }

  for (const release of ['v0.9.0', 'v0.17.2', 'v0.23.1', 'v0.30.1'] as const) {
    it(`implements as ${release} all criteria of its schema but those for hashes, IDs of stash-boxes and custom fields`, async () => {
      const { value } = await filled(release);
      const refused = new Map<string, unknown>();
      for (const type of Object.values(schemaOf(release).schema.getTypeMap())) {
        const [, of] = /^(?!Find|Folder)(\w+)FilterType$/.exec(type.name) ?? [];
        if (of === undefined || !isInputObjectType(type)) continue;
        const argument = of === 'SceneMarker' ? 'scene_marker' : of.toLowerCase();
        const query = `query ($criteria: ${type.name}) { find${of.replace(/y$/, 'ie')}s(${argument}_filter: $criteria) { count } }`;
        for (const { name, type: form } of Object.values(type.getFields())) {
          const criteria = { [name]: CRITERIA[getNamedType(form).name] ?? {} };
          await value(query, { criteria }).catch((error: unknown) => refused.set(name, error));
        }
      }
      for (const name of ['custom_fields', 'duplicated', 'phash_distance', 'stash_id_endpoint'])
        refused.delete(name);
      assert.deepEqual([...refused], []);
    });
  }

  it('has movies instead of groups before v0.27, and rates performers up to 5 before v0.18', async () => {
    const { value, stash, failure } = await filled('v0.17.2');
    stash.people.change('1', { rating: 4 });
    assert.deepEqual(
      await value('{ findMovies(movie_filter: { is_missing: "date" }) { movies { name date } } }'),
      {
        movies: [{ name: 'Epic', date: null }],
      },
    );
    assert.deepEqual(await value('{ findMovie(id: 1) { name duration scene_count studio { name } } }'), {
      name: 'Trilogy',
      duration: 3600,
      scene_count: 1,
      studio: { name: 'Lanterna' },
    });
    const rated = '{ rating: { value: 3, modifier: GREATER_THAN } }';
    assert.deepEqual(
      await value(`{ findPerformers(performer_filter: ${rated}) { performers { rating scene_count } } }`),
      {
        performers: [{ rating: 4, scene_count: 1 }],
      },
    );
    assert.match(String(await failure('{ findGroups { count } }')), /"findGroups"/);
  });

  it('describes a marker with its scene and its tag', async () => {
    const { value } = await filled();
    const fields = 'title seconds primary_tag { name scene_count } scene { title tags { id } studio { id } }';
    assert.deepEqual(
      await value(`{ findSceneMarkers(filter: { per_page: 1 }) { scene_markers { ${fields} } } }`),
      {
        scene_markers: [
          {
            title: 'Calm',
            seconds: 3,
            primary_tag: { name: 'Documentary', scene_count: 2 },
            scene: { title: 'Low Tide', tags: [{ id: '1' }, { id: '2' }], studio: { id: '1' } },
          },
        ],
      },
    );
  });

  it('has pictures of studios and performers, and drawings of tags and groups', async () => {
    const { stash } = await filled();
    const type = async (address: string) => {
      const response = await fetch(`${stash.url}/${address}`);
      return response.status === 200 ? response.headers.get('Content-Type') : response.status;
    };
    const addresses = [
      'studio/2/image',
      'performer/1/image',
      'studio/1/image',
      'tag/1/image',
      'group/1/frontimage',
    ];
    assert.deepEqual(await Promise.all(addresses.map(type)), [
      ...['image/png', 'image/png'],
      ...['image/svg+xml', 'image/svg+xml', 'image/svg+xml'],
    ]);
    assert.equal(await type('performer/9/image'), 404);
  });
});

describe('Fake server: saved filters', () => {
  const start = servers();
  const SEEN = {
    mode: 'SCENES',
    name: 'Seen',
    find_filter: { sort: 'title', direction: 'DESC' },
    object_filter: { organized: { modifier: 'EQUALS', value: 'true' } },
  } as const;

  it('have fields since v0.23, and are in the order of their names', async () => {
    const { value, stash } = await start({ release: 'v0.30.1' });
    stash.filters.add(SEEN);
    stash.filters.add({ mode: 'SCENES', name: 'All' });
    stash.filters.add({ mode: 'GROUPS', name: 'Groups' });
    const fields = 'id mode name filter find_filter { q sort direction per_page } object_filter ui_options';
    const none = { filter: '', find_filter: null, object_filter: null, ui_options: null };
    assert.deepEqual(await value(`{ findSavedFilters(mode: SCENES) { ${fields} } }`), [
      { id: '2', mode: 'SCENES', name: 'All', ...none },
      {
        id: '1',
        ...SEEN,
        ...none,
        find_filter: { q: null, per_page: null, ...SEEN.find_filter },
        object_filter: SEEN.object_filter,
      },
    ]);
    assert.deepEqual(await value('{ findSavedFilters(mode: MOVIES) { name } }'), [{ name: 'Groups' }]);
    assert.deepEqual(await value('{ findSavedFilters { id } }'), [{ id: '1' }, { id: '2' }, { id: '3' }]);
  });

  it('are a text before v0.23', async () => {
    const { value, stash, failure } = await start({ release: 'v0.11.0' });
    stash.filters.add(SEEN);
    stash.filters.add({ mode: 'SCENES', name: 'Old', filter: '{"c":[]}' });
    const [seen, old] = (await value('{ findSavedFilters(mode: SCENES) { filter } }')) as {
      filter: string;
    }[];
    assert.deepEqual(JSON.parse(seen?.filter ?? ''), {
      ...{ perPage: 40, sortby: 'title', sortdir: 'desc', disp: 0, q: '' },
      c: ['{"type":"organized","modifier":"EQUALS","value":"true"}'],
    });
    assert.equal(old?.filter, '{"c":[]}');
    assert.match(String(await failure('{ findSavedFilters { id } }')), /argument "mode"/);
  });
});
