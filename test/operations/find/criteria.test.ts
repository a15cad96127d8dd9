import assert from 'node:assert/strict';
import { buildSchema, graphqlSync } from 'graphql';
import { INTROSPECTION, Schema } from '../../../src/graphql/schema';
import { isRecord } from '../../../src/guards';
import { translatedCriteria } from '../../../src/operations/find/criteria';
import {
  filterInAddress,
  filterInFields,
  filterInJson,
  type PageFilter,
} from '../../../src/operations/find/page-filter';

/** What all releases have. */
const COMMON = `
  type Version { version: String }
  type Query { version: Version findScenes: String }
  scalar Any
  enum CriterionModifier {
    EQUALS NOT_EQUALS GREATER_THAN LESS_THAN IS_NULL NOT_NULL INCLUDES_ALL INCLUDES EXCLUDES
    MATCHES_REGEX NOT_MATCHES_REGEX BETWEEN NOT_BETWEEN
  }
  enum GenderEnum { MALE FEMALE TRANSGENDER_MALE NON_BINARY }
  enum CircumisedEnum { CUT UNCUT }
  enum OrientationEnum { LANDSCAPE PORTRAIT SQUARE }
  enum ResolutionEnum { VERY_LOW R360P FULL_HD FOUR_K HUGE }
  input StringCriterionInput { value: String! modifier: CriterionModifier! }
  input IntCriterionInput { value: Int! value2: Int modifier: CriterionModifier! }
  input FloatCriterionInput { value: Float! value2: Float modifier: CriterionModifier! }
  input DateCriterionInput { value: String! value2: String modifier: CriterionModifier! }
  input TimestampCriterionInput { value: String! value2: String modifier: CriterionModifier! }
  input ResolutionCriterionInput { value: ResolutionEnum! modifier: CriterionModifier! }
  input PHashDuplicationCriterionInput { duplicated: Boolean distance: Int }
  input StashIDCriterionInput { endpoint: String stash_id: String modifier: CriterionModifier! }
`;

const current = schemaOf(`
  input MultiCriterionInput { value: [ID!] modifier: CriterionModifier! excludes: [ID!] }
  input HierarchicalMultiCriterionInput {
    value: [ID!] modifier: CriterionModifier! depth: Int excludes: [ID!]
  }
  input GenderCriterionInput { value: GenderEnum value_list: [GenderEnum!] modifier: CriterionModifier! }
  input CircumcisionCriterionInput { value: [CircumisedEnum!] modifier: CriterionModifier! }
  input OrientationCriterionInput { value: [OrientationEnum!]! }
  input PhashDistanceCriterionInput { value: String! modifier: CriterionModifier! distance: Int }
  input CustomFieldCriterionInput { field: String! value: [Any!] modifier: CriterionModifier! }
  input SceneFilterType {
    AND: SceneFilterType performers_filter: PerformerFilterType
    title: StringCriterionInput code: StringCriterionInput captions: StringCriterionInput
    checksum: StringCriterionInput phash_distance: PhashDistanceCriterionInput
    duplicated: PHashDuplicationCriterionInput organized: Boolean has_markers: String is_missing: String
    rating100: IntCriterionInput duration: IntCriterionInput date: DateCriterionInput
    created_at: TimestampCriterionInput resolution: ResolutionCriterionInput
    orientation: OrientationCriterionInput stash_id_endpoint: StashIDCriterionInput
    tags: HierarchicalMultiCriterionInput performer_tags: HierarchicalMultiCriterionInput
    performers: MultiCriterionInput galleries: MultiCriterionInput groups: HierarchicalMultiCriterionInput
    phash: StringCriterionInput movies: MultiCriterionInput
  }
  input PerformerFilterType {
    filter_favorites: Boolean gender: GenderCriterionInput circumcised: CircumcisionCriterionInput
    height_cm: IntCriterionInput penis_length: FloatCriterionInput custom_fields: [CustomFieldCriterionInput!]
  }
  input TagFilterType {
    favorite: Boolean parents: HierarchicalMultiCriterionInput children: HierarchicalMultiCriterionInput
    parent_count: IntCriterionInput child_count: IntCriterionInput
  }
`);

/** As since v0.31: there are more kinds of duplicates, several IDs of stash-boxes, and folders. */
const next = schemaOf(`
  enum CircumcisedEnum { CUT UNCUT }
  input HierarchicalMultiCriterionInput {
    value: [ID!] modifier: CriterionModifier! depth: Int excludes: [ID!]
  }
  input DuplicationCriterionInput {
    duplicated: Boolean distance: Int phash: Boolean url: Boolean stash_id: Boolean title: Boolean
  }
  input StashIDsCriterionInput { endpoint: String stash_ids: [String] modifier: CriterionModifier! }
  input CircumcisionCriterionInput { value: [CircumcisedEnum!] modifier: CriterionModifier! }
  input FileFilterType { parent_folder: HierarchicalMultiCriterionInput }
  input SceneFilterType {
    duplicated: DuplicationCriterionInput stash_id_endpoint: StashIDCriterionInput
    stash_ids_endpoint: StashIDsCriterionInput files_filter: FileFilterType
  }
  input GalleryFilterType { parent_folder: HierarchicalMultiCriterionInput }
  input StudioFilterType { organized: Boolean stash_ids_endpoint: StashIDsCriterionInput }
  input PerformerFilterType { circumcised: CircumcisionCriterionInput career_start: DateCriterionInput }
`);

/** As before v0.21: nothing can be excluded, and a gender is one. */
const former = schemaOf(`
  input MultiCriterionInput { value: [ID!] modifier: CriterionModifier! }
  input HierarchicalMultiCriterionInput { value: [ID!] modifier: CriterionModifier! depth: Int }
  input GenderCriterionInput { value: GenderEnum modifier: CriterionModifier! }
  input SceneFilterType {
    rating: IntCriterionInput stash_id: StringCriterionInput movies: MultiCriterionInput
    tags: HierarchicalMultiCriterionInput performers: MultiCriterionInput
  }
  input PerformerFilterType { filter_favorites: Boolean gender: GenderCriterionInput height: StringCriterionInput }
  input TagFilterType { parents: HierarchicalMultiCriterionInput }
`);

/** Labelled items, as the pages keep them. */
const items = (...ids: (string | number)[]) => ids.map((id) => ({ id, label: `Item (${id})` }));
const is = (modifier: string, value?: unknown) => ({ modifier, ...(value !== undefined && { value }) });

type Row = [name: string, saved: unknown, input: unknown, sent?: string];

/** What the pages save, and what they send for it under another name, if so. */
const TABLE: Readonly<Record<string, Row[]>> = {
  SceneFilterType: [
    ['title', is('EQUALS', 'a (b) {c} "d" \\'), { value: 'a (b) {c} "d" \\', modifier: 'EQUALS' }],
    ['title', is('IS_NULL', ''), { value: '', modifier: 'IS_NULL' }],
    ['title', is('NOT_NULL'), { value: '', modifier: 'NOT_NULL' }],
    ['scene_code', is('MATCHES_REGEX', '^a'), { value: '^a', modifier: 'MATCHES_REGEX' }, 'code'],
    ['sceneChecksum', is('EQUALS', 'ab'), { value: 'ab', modifier: 'EQUALS' }, 'checksum'],
    ['captions', is('INCLUDES', 'Español'), { value: 'es', modifier: 'INCLUDES' }],
    ['captions', is('EXCLUDES', 'Unknown'), { value: '00', modifier: 'EXCLUDES' }],
    ['captions', is('IS_NULL'), { value: '', modifier: 'IS_NULL' }],
    [
      'phash_distance',
      is('EQUALS', { value: 'ab', distance: 4 }),
      { value: 'ab', modifier: 'EQUALS', distance: 4 },
    ],
    ['phash_distance', is('NOT_NULL'), { value: '', modifier: 'NOT_NULL' }],
    [
      'phash',
      is('EQUALS', { value: 'ab', distance: 4 }),
      { value: 'ab', modifier: 'EQUALS', distance: 4 },
      'phash_distance',
    ],
    ['phash', is('NOT_EQUALS', 'ab'), { value: 'ab', modifier: 'NOT_EQUALS' }, 'phash_distance'],
    ['rating100', is('GREATER_THAN', { value: 60 }), { value: 60, modifier: 'GREATER_THAN' }],
    [
      'rating100',
      is('NOT_BETWEEN', { value: 20, value2: 60 }),
      { value: 20, value2: 60, modifier: 'NOT_BETWEEN' },
    ],
    // The pages allow a range of ratings without an end.
    ['rating100', is('BETWEEN', { value: 20 }), { value: 20, modifier: 'BETWEEN' }],
    ['rating100', is('IS_NULL', { value: 0 }), { value: 0, modifier: 'IS_NULL' }],
    ['duration', is('EQUALS', { value: 5, value2: 9 }), { value: 5, modifier: 'EQUALS' }],
    ['duration', is('EQUALS', 5), { value: 5, modifier: 'EQUALS' }],
    ['duration', is('LESS_THAN', { value: '5', value2: '' }), { value: 5, modifier: 'LESS_THAN' }],
    ['duration', { ...is('BETWEEN', '5'), value2: '9' }, { value: 5, value2: 9, modifier: 'BETWEEN' }],
    ['date', is('LESS_THAN', { value: '2024-01-02' }), { value: '2024-01-02', modifier: 'LESS_THAN' }],
    [
      'date',
      is('BETWEEN', { value: '2024-01', value2: '2024-03' }),
      { value: '2024-01', value2: '2024-03', modifier: 'BETWEEN' },
    ],
    ['date', is('IS_NULL'), { value: '', modifier: 'IS_NULL' }],
    [
      'created_at',
      is('BETWEEN', { value: '2024-01-02 03:04', value2: '2024-01-03' }),
      { value: '2024-01-02T03:04', value2: '2024-01-03', modifier: 'BETWEEN' },
    ],
    ['organized', is('EQUALS', 'true'), true],
    ['organized', is('EQUALS', 'false'), false],
    ['has_markers', is('EQUALS', 'false'), 'false'],
    ['hasMarkers', is('EQUALS', 'true'), 'true', 'has_markers'],
    ['duplicated', is('EQUALS', 'true'), { duplicated: true }],
    ['is_missing', is('EQUALS', 'tags'), 'tags'],
    ['sceneIsMissing', is('EQUALS', 'date'), 'date', 'is_missing'],
    ['resolution', is('NOT_EQUALS', '1080p'), { value: 'FULL_HD', modifier: 'NOT_EQUALS' }],
    ['resolution', is('GREATER_THAN', '4k'), { value: 'FOUR_K', modifier: 'GREATER_THAN' }],
    ['orientation', is('EQUALS', ['Landscape', 'Square']), { value: ['LANDSCAPE', 'SQUARE'] }],
    [
      'stash_id_endpoint',
      is('EQUALS', { endpoint: 'http://box', stashID: 'ab' }),
      { endpoint: 'http://box', stash_id: 'ab', modifier: 'EQUALS' },
    ],
    [
      'stash_id_endpoint',
      is('IS_NULL', { endpoint: 'http://box', stashID: '' }),
      { endpoint: 'http://box', modifier: 'IS_NULL' },
    ],
    ['stash_id_endpoint', is('NOT_NULL'), { modifier: 'NOT_NULL' }],
    ['stash_id', is('EQUALS', 'ab'), { stash_id: 'ab', modifier: 'EQUALS' }, 'stash_id_endpoint'],
    [
      'tags',
      is('INCLUDES_ALL', { items: items('1', '2'), excluded: [], depth: -1 }),
      { value: ['1', '2'], modifier: 'INCLUDES_ALL', depth: -1 },
    ],
    [
      'tags',
      is('INCLUDES', { items: items('1'), excluded: items('2', '3'), depth: 1 }),
      { value: ['1'], excludes: ['2', '3'], modifier: 'INCLUDES', depth: 1 },
    ],
    [
      'tags',
      is('INCLUDES', { items: [], excluded: items('2'), depth: 0 }),
      { value: [], excludes: ['2'], modifier: 'INCLUDES', depth: 0 },
    ],
    // As servers have it since the update to v0.23.
    [
      'tags',
      is('INCLUDES', { items: items(1), excluded: null, depth: 0 }),
      { value: ['1'], modifier: 'INCLUDES', depth: 0 },
    ],
    [
      'tags',
      is('INCLUDES', { items: null, excluded: items(2), depth: 0 }),
      { value: [], excludes: ['2'], modifier: 'INCLUDES', depth: 0 },
    ],
    [
      'tags',
      is('EQUALS', { items: items('1'), excluded: [], depth: -1 }),
      { value: ['1'], modifier: 'EQUALS', depth: 0 },
    ],
    // Servers ignore EXCLUDES for the tags of markers.
    [
      'tags',
      is('EXCLUDES', { items: items('1', '2'), depth: -1 }),
      { value: [], excludes: ['1', '2'], modifier: 'INCLUDES', depth: -1 },
    ],
    // Servers ignore what is excluded for the groups of performers.
    [
      'groups',
      is('EXCLUDES', { items: items('1'), excluded: [], depth: 0 }),
      { value: ['1'], modifier: 'EXCLUDES', depth: 0 },
    ],
    ['galleries', is('EXCLUDES', items('1')), { value: ['1'], modifier: 'EXCLUDES' }],
    ['tags', is('IS_NULL', { items: [], excluded: [], depth: 0 }), { modifier: 'IS_NULL' }],
    [
      'performerTags',
      is('INCLUDES', { items: items('1'), depth: 2 }),
      { value: ['1'], modifier: 'INCLUDES', depth: 2 },
      'performer_tags',
    ],
    ['performers', is('INCLUDES', items('1', '2')), { value: ['1', '2'], modifier: 'INCLUDES' }],
    [
      'performers',
      is('INCLUDES_ALL', { items: items('1'), excluded: items('2') }),
      { value: ['1'], excludes: ['2'], modifier: 'INCLUDES_ALL' },
    ],
    ['performers', is('EQUALS', { items: items('1'), excluded: [] }), { value: ['1'], modifier: 'EQUALS' }],
    ['galleries', is('INCLUDES', items(7)), { value: ['7'], modifier: 'INCLUDES' }],
    ['movies', is('INCLUDES', items('3')), { value: ['3'], modifier: 'INCLUDES', depth: 0 }, 'groups'],
  ],
  PerformerFilterType: [
    ['filter_favorites', is('EQUALS', 'true'), true],
    ['favorite', is('EQUALS', 'true'), true, 'filter_favorites'],
    [
      'gender',
      is('INCLUDES', ['Female', 'Non-Binary']),
      { value_list: ['FEMALE', 'NON_BINARY'], modifier: 'INCLUDES' },
    ],
    ['gender', is('EQUALS', 'Transgender Male'), { value_list: ['TRANSGENDER_MALE'], modifier: 'EQUALS' }],
    ['gender', is('IS_NULL', []), { value_list: [], modifier: 'IS_NULL' }],
    ['circumcised', is('EXCLUDES', ['Cut']), { value: ['CUT'], modifier: 'EXCLUDES' }],
    ['height', is('GREATER_THAN', '170'), { value: 170, modifier: 'GREATER_THAN' }, 'height_cm'],
    ['penis_length', is('EQUALS', { value: 12.5 }), { value: 12.5, modifier: 'EQUALS' }],
    [
      'custom_fields',
      [{ field: 'a', modifier: 'BETWEEN', value: ['x', 1.5] }],
      [{ field: 'a', modifier: 'BETWEEN', value: ['x', 1.5] }],
    ],
  ],
  TagFilterType: [
    ['favorite', is('EQUALS', 'false'), false],
    [
      'parentTags',
      is('INCLUDES', { items: items('1'), depth: 0 }),
      { value: ['1'], modifier: 'INCLUDES', depth: 0 },
      'parents',
    ],
    ['child_tag_count', is('EQUALS', { value: 2 }), { value: 2, modifier: 'EQUALS' }, 'child_count'],
  ],
};

const FORMER: Readonly<Record<string, Row[]>> = {
  SceneFilterType: [
    ['rating', is('EQUALS', { value: 3 }), { value: 3, modifier: 'EQUALS' }],
    ['stash_id', is('EQUALS', 'ab'), { value: 'ab', modifier: 'EQUALS' }],
    ['movies', is('EXCLUDES', items('3')), { value: ['3'], modifier: 'EXCLUDES' }],
    [
      'tags',
      is('EXCLUDES', { items: items('1'), depth: -1 }),
      { value: ['1'], modifier: 'EXCLUDES', depth: -1 },
    ],
  ],
  PerformerFilterType: [
    ['favorite', is('EQUALS', 'true'), true, 'filter_favorites'],
    ['gender', is('NOT_EQUALS', 'Female'), { value: 'FEMALE', modifier: 'NOT_EQUALS' }],
    ['height', is('EQUALS', '170'), { value: '170', modifier: 'EQUALS' }],
  ],
};

const NEXT: Readonly<Record<string, Row[]>> = {
  SceneFilterType: [
    ['duplicated', is('EQUALS', 'true'), { phash: true }],
    ['duplicated', is('EQUALS', { phash: true, title: false }), { phash: true, title: false }],
    ['duplicated', is('EQUALS', { duplicated: false, distance: 4 }), { duplicated: false, distance: 4 }],
    ['stash_id_endpoint', is('EQUALS', { stashID: 'ab' }), { stash_id: 'ab', modifier: 'EQUALS' }],
    [
      'folder',
      is('INCLUDES', { items: items('1'), excluded: [], depth: -1 }),
      { parent_folder: { value: ['1'], modifier: 'INCLUDES', depth: -1 } },
      'files_filter',
    ],
  ],
  GalleryFilterType: [
    [
      'parent_folder',
      is('INCLUDES', { items: items('1'), depth: 0 }),
      { value: ['1'], modifier: 'INCLUDES', depth: 0 },
    ],
  ],
  StudioFilterType: [
    ['organized', is('EQUALS', 'true'), true],
    [
      'stash_id_endpoint',
      is('NOT_EQUALS', { endpoint: 'http://box', stashID: 'ab' }),
      { endpoint: 'http://box', stash_ids: ['ab'], modifier: 'NOT_EQUALS' },
      'stash_ids_endpoint',
    ],
    ['stash_id', is('IS_NULL'), { modifier: 'IS_NULL' }, 'stash_ids_endpoint'],
  ],
  PerformerFilterType: [
    ['circumcised', is('INCLUDES', ['Uncut']), { value: ['UNCUT'], modifier: 'INCLUDES' }],
    ['career_start', is('LESS_THAN', { value: '2012' }), { value: '2012', modifier: 'LESS_THAN' }],
  ],
};

/** What no page since v0.31 saves. */
const NEXT_REFUSED: typeof REFUSED = {
  SceneFilterType: [
    ['duplicated', is('EQUALS', {})],
    ['duplicated', is('EQUALS', { distance: 4 })],
    ['duplicated', is('EQUALS', { phash: 'true' })],
    ['duplicated', is('EQUALS', { phash: true, sound: true })],
    ['folder', is('INCLUDES', { items: [], depth: 0 })],
  ],
};

/** What no page of Stash saves. */
const REFUSED: Readonly<Record<string, [name: string, saved: unknown][]>> = {
  SceneFilterType: [
    ...['foo', 'fooIsMissing', 'AND', 'performers_filter', '__proto__', 'constructor', ''].map(
      (name): [string, unknown] => [name, is('EQUALS', 'x')],
    ),
    ['title', is('EQUALS', '')],
    ['title', is('EQUALS', 5)],
    ['title', is('EQUALS', { value: 'x' })],
    ['title', is('LOOKS_LIKE', 'x')],
    ['title', { value: 'x' }],
    ['captions', is('INCLUDES', 'Klingon')],
    ['captions', is('INCLUDES', 'constructor')],
    ['phash_distance', is('EQUALS', {})],
    ['phash_distance', is('EQUALS', { value: 'ab', distance: '4' })],
    // The pages would convert it by their own settings.
    ['rating100', is('EQUALS', 3)],
    ['duration', is('EQUALS')],
    ['duration', is('EQUALS', { value: '' })],
    ['duration', is('EQUALS', 1.5)],
    ['duration', is('EQUALS', [5])],
    ['duration', is('BETWEEN', { value: 5, value2: 'x' })],
    ['date', is('EQUALS', { value: '' })],
    ['created_at', is('LESS_THAN', { value: 'yesterday' })],
    ['created_at', is('LESS_THAN', { value: '2024-01-02 03:04:05' })],
    ['organized', is('EQUALS', 'yes')],
    ['has_markers', is('EQUALS', '')],
    ['is_missing', is('EQUALS', '')],
    ['duplicated', is('EQUALS', { duplicated: true })],
    ['resolution', is('EQUALS', '1081p')],
    ['orientation', is('EQUALS', [])],
    ['orientation', is('EQUALS', ['Round'])],
    ['stash_id_endpoint', is('EQUALS', {})],
    ['stash_id_endpoint', is('EQUALS', { endpoint: 'x' })],
    ['stash_id_endpoint', is('IS_NULL', { endpoint: 5 })],
    ['tags', is('INCLUDES')],
    ['tags', is('INCLUDES', [])],
    ['tags', is('INCLUDES', { items: [], excluded: [], depth: 0 })],
    ['tags', is('INCLUDES', '1')],
    ['tags', is('INCLUDES', ['1'])],
    ['tags', is('INCLUDES', [...items('1'), { label: 'x' }])],
    ['tags', is('INCLUDES', { items: items('x'), depth: 0 })],
    ['tags', is('INCLUDES', { items: items('1'), excluded: [{}], depth: 0 })],
    ['tags', is('INCLUDES', { items: items('1'), depth: 'all' })],
    ['tags', is('EQUALS', { items: items('1'), excluded: items('2'), depth: 0 })],
    ['tags', is('EXCLUDES', { items: items('1'), excluded: items('2'), depth: 0 })],
  ],
  PerformerFilterType: [
    ['gender', is('INCLUDES', [])],
    ['gender', is('INCLUDES', ['Female', 5])],
    ['gender', is('INCLUDES', ['Robot'])],
    ['custom_fields', 'x'],
    ['custom_fields', [{ field: 'a' }]],
    ['custom_fields', is('EQUALS')],
  ],
};

const FORMER_REFUSED: Readonly<Record<string, [name: string, saved: unknown][]>> = {
  SceneFilterType: [
    ['tags', is('INCLUDES', { items: items('1'), excluded: items('2'), depth: 0 })],
    ['tags', is('EQUALS', { items: items('1'), depth: 0 })],
    ['rating100', is('EQUALS', { value: 60 })],
  ],
  PerformerFilterType: [['gender', is('INCLUDES', ['Female', 'Male'])]],
};

describe('A criterion of a page of Stash', () => {
  const tables: [string, Schema, typeof TABLE, typeof REFUSED][] = [
    ['a current server', current, TABLE, REFUSED],
    ['a server before v0.21', former, FORMER, FORMER_REFUSED],
    ['a server since v0.31', next, NEXT, NEXT_REFUSED],
  ];
  for (const [server, schema, table, refused] of tables) {
    for (const [type, rows] of Object.entries(table)) {
      for (const [name, saved, input, sent = name] of rows) {
        it(`becomes the input of ${server}: ${type} ${name} ${JSON.stringify(saved)}`, () => {
          for (const { criteria } of forms(name, saved)) {
            assert.deepEqual(translatedCriteria(schema, type, criteria), { [sent]: input });
          }
        });
      }
    }

    for (const [type, rows] of Object.entries(refused)) {
      for (const [name, saved] of rows) {
        it(`is refused by name if ${server} cannot apply it: ${type} ${name} ${JSON.stringify(saved)}`, () => {
          for (const { criteria } of forms(name, saved)) {
            assert.throws(() => translatedCriteria(schema, type, criteria), {
              case: 'BAD_INPUT.criterion',
              details: { name },
            });
          }
        });
      }
    }
  }

  it('is refused if another one has the same name, so that none is left out', () => {
    const title = { type: 'title', ...is('EQUALS', 'x') };
    const twice: Record<string, unknown>[][] = [
      [title, title],
      [
        { type: 'code', ...is('EQUALS', 'x') },
        { type: 'scene_code', ...is('EQUALS', 'y') },
      ],
    ];
    for (const criteria of twice) {
      const { criteria: read } = filterInJson(
        JSON.stringify({ c: criteria.map((one) => JSON.stringify(one)) }),
      );
      assert.throws(() => translatedCriteria(current, 'SceneFilterType', read), {
        case: 'BAD_INPUT.criterion',
      });
    }
  });

  it('is refused on a server whose schema is unknown', () => {
    const criteria = [{ type: 'title', ...is('EQUALS', 'x') }];
    assert.throws(() => translatedCriteria(Schema.documented(), 'SceneFilterType', criteria), {
      case: 'BAD_INPUT.criterion',
    });
  });
});

describe('A saved filter of a server before v0.23', () => {
  for (const [saved, usual, direction] of [
    [{ sortby: 'title' }, undefined, 'ASC'],
    [{ sortby: 'title', sortdir: 'desc' }, 'asc', 'DESC'],
    // Since v0.21.
    [{ sortby: 'date' }, undefined, 'DESC'],
    [{ sortby: 'date', sortdir: 'asc' }, undefined, 'ASC'],
    [{ sortby: 'date' }, 'asc', 'ASC'],
    [{ sortby: 'date', sortdir: 'desc' }, 'asc', 'DESC'],
  ] as const) {
    it(`is sorted ${direction} for ${JSON.stringify(saved)}${usual ? ' before v0.21' : ''}`, () => {
      assert.equal(filterInJson(JSON.stringify(saved), usual).direction, direction);
    });
  }
});

describe('The address of a list', () => {
  it('is read in time, however long it is', () => {
    // Code whose time grows with the square of the length would not end within the time limit of a test.
    for (const address of [`/scenes?c=("${'\\"'.repeat(500_000)}`, `${'/'.repeat(1_000_000)}x`]) {
      assert.throws(() => filterInAddress(`http://stash${address}`, [{ page: '/scenes' }]), /BAD_INPUT/);
    }
  });
});

describe('The address of a list on the page of a studio, a tag, a performer or a group', () => {
  const scenes = [{ page: '/scenes' }] as const;
  const inputOf = (address: string, schema = current) =>
    translatedCriteria(schema, 'SceneFilterType', filterInAddress(address, scenes).criteria);
  const criterion = (type: string, modifier: string, value: object) =>
    encodeURIComponent(withRoundBrackets(JSON.stringify({ type, modifier, value })));

  it('has its criterion, with what is below it only if the address has that', () => {
    assert.deepEqual(inputOf('http://stash/tags/3'), {
      tags: { value: ['3'], modifier: 'INCLUDES_ALL', depth: 0 },
    });
    assert.deepEqual(inputOf('stash/performers/5/scenes/?sortby=date'), {
      performers: { value: ['5'], modifier: 'INCLUDES_ALL' },
    });
    const groups = { groups: { value: ['4'], modifier: 'INCLUDES', depth: 0 } };
    assert.deepEqual(inputOf('/groups/4/scenes'), groups);
    assert.deepEqual(inputOf('/movies/4/scenes'), groups);
    assert.deepEqual(inputOf('/movies/4', former), { movies: { value: ['4'], modifier: 'INCLUDES' } });
  });

  it('has the other tags of its filter as well, and of studios and groups its own one alone', () => {
    const given = { items: items('7'), excluded: items('8'), depth: -1 };
    assert.deepEqual(inputOf(`/tags/3/scenes?c=${criterion('tags', 'INCLUDES', given)}`), {
      tags: { value: ['7', '3'], modifier: 'INCLUDES_ALL', excludes: ['8'], depth: -1 },
    });
    assert.deepEqual(inputOf(`/performers/5/scenes?c=${criterion('performers', 'INCLUDES', items('7'))}`), {
      performers: { value: ['7', '5'], modifier: 'INCLUDES_ALL' },
    });
    assert.deepEqual(inputOf(`/groups/4/scenes?c=${criterion('groups', 'INCLUDES', given)}`), {
      groups: { value: ['4'], modifier: 'INCLUDES', excludes: ['8'], depth: -1 },
    });
  });

  it('is refused with a criterion that its own one would replace', () => {
    assert.throws(() => inputOf(`/tags/3/scenes?c=${criterion('tags', 'EXCLUDES', { items: items('7') })}`), {
      case: 'BAD_INPUT.criterion',
      details: { name: 'tags' },
    });
  });

  it('is that of markers at /tags/3/markers', () => {
    assert.equal(filterInAddress('/tags/3/markers', [{ page: '/scenes/markers' }]).criteria.length, 1);
    assert.throws(() => filterInAddress('/tags/3/markers', scenes), { case: 'BAD_INPUT.notListPage' });
  });
});

/** The same criterion in a filter that is saved in fields, in one that is saved as JSON, and in an address. */
function forms(name: string, saved: unknown): PageFilter[] {
  const criterion = JSON.stringify({ type: name, ...(isRecord(saved) ? saved : { value: saved }) });
  const address = new URLSearchParams({ c: withRoundBrackets(criterion) });
  return [
    filterInFields({}, Object.fromEntries([[name, saved]])),
    filterInJson(JSON.stringify({ c: [criterion] })),
    filterInAddress(`http://stash/scenes?${address}`, [{ page: '/scenes' }]),
  ];
}

/** Replaces the braces outside of texts, as the pages do. */
function withRoundBrackets(json: string): string {
  return json
    .split(/("(?:[^"\\]|\\.)*")/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/\{/g, '(').replace(/\}/g, ')')))
    .join('');
}

function schemaOf(inputs: string): Schema {
  const { data } = graphqlSync({ schema: buildSchema(COMMON + inputs), source: INTROSPECTION });
  assert.ok(data);
  return Schema.read({ ...data });
}
