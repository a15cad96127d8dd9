import type { Facts } from './criteria';
import {
  entryFacts,
  type Group,
  groupFacts,
  type KindsState,
  type Marker,
  markerFacts,
  personFacts,
  sceneOf,
  scenesWith,
  studioFacts,
  tagFacts,
} from './facts';
import { describeEntry, performersOf, tagsOf } from './items';
import { describeStudio, type Entry, type Kind, type Studio, type Tag } from './library';
import { describePerson, listOf, type Person } from './people';

/** A kind of items, with the names that lists have since v0.27. */
export interface ItemKind<Item> {
  readonly all: (server: KindsState) => readonly Item[];
  readonly facts: (item: Item, server: KindsState) => Facts;
  readonly describe: (item: Item, server: KindsState, origin: string) => object;
  /** The facts in which a search looks. */
  readonly searched: readonly string[];
  /** The sorts besides `id` and `random`; each is a fact. */
  readonly sorts: readonly string[];
  /** The sort of a list without one: before v0.17, and since then. */
  readonly sort: readonly [string, string];
  /** The facts by which equal items are sorted, before their ids. */
  readonly ties: readonly string[];
}

const FILE_SORTS = [
  'path',
  'title',
  'date',
  'created_at',
  'rating',
  'file_count',
  'tag_count',
  'performer_count',
];
const PLAY_SORTS = ['play_count', 'play_duration', 'resume_time', 'last_played_at'];

function entries(kind: Kind, searched: string, sorts: readonly string[], sort: ItemKind<Entry>['sort']) {
  return {
    all: ({ library }) => library.all(kind),
    facts: entryFacts,
    describe: describeEntry,
    searched: searched.split(' '),
    sorts: [...FILE_SORTS, ...sorts],
    sort,
    ties: ['title_or_id'],
  } satisfies ItemKind<Entry>;
}

const scenes = entries(
  'scene',
  'title details path marker_titles',
  ['duration', 'o_counter', 'organized', ...PLAY_SORTS],
  ['title', 'id'],
);
const images = entries('image', 'title path', ['o_counter'], ['title', 'id']);
const galleries = entries('gallery', 'title path', ['images_count'], ['path', 'id']);

const BY_NAME = { sort: ['name', 'name'], ties: ['name'] } as const;
const COUNTS = ['scenes_count'];

const performers: ItemKind<Person> = {
  all: ({ people }) => people.all,
  facts: personFacts,
  describe: (person, server) => ({
    ...describePerson(person, server.quirks),
    tags: server.tags.filter(({ id }) => listOf(person['tag_ids']).includes(id)),
    scene_count: scenesWith(server, performersOf, person.id).length,
  }),
  searched: ['name', 'aliases'],
  sorts: ['name', 'birthdate', 'rating', 'weight', 'tag_count', ...COUNTS],
  ...BY_NAME,
};

const studios: ItemKind<Studio> = {
  all: (server) => server.studios,
  facts: studioFacts,
  describe: (studio, server, origin) => {
    const parent = server.studios.find(({ id }) => id === studio.parent);
    return {
      ...describeStudio(studio, origin, server.quirks),
      aliases: studio.aliases ?? [],
      parent_studio: parent ? describeStudio(parent, origin, server.quirks) : null,
    };
  },
  searched: ['name', 'aliases'],
  sorts: ['name', 'rating', 'child_count', ...COUNTS],
  ...BY_NAME,
};

const tags: ItemKind<Tag> = {
  all: (server) => server.tags,
  facts: tagFacts,
  describe: ({ id, name, aliases = [] }, server) => ({
    id,
    name,
    aliases,
    favorite: false,
    scene_count: scenesWith(server, tagsOf, id).length,
  }),
  searched: ['name', 'aliases'],
  sorts: ['name', ...COUNTS],
  ...BY_NAME,
};

const markers: ItemKind<Marker & { id: string }> = {
  all: (server) => server.markers.all,
  facts: markerFacts,
  describe: ({ id, title, seconds, scene, tag }, server, origin) => {
    const entry = sceneOf(scene, server);
    const primary_tag = server.tags.find((each) => each.id === tag);
    return {
      id,
      title,
      seconds,
      end_seconds: null,
      scene: entry ? describeEntry(entry, server) : null,
      primary_tag: primary_tag ? tags.describe(primary_tag, server, origin) : null,
      tags: [],
    };
  },
  searched: ['title', 'scene_title', 'tag'],
  sorts: ['title', 'seconds', 'scene_id', 'created_at'],
  sort: ['title', 'title'],
  ties: ['scene_id', 'seconds'],
};

const groups: ItemKind<Group & { id: string }> = {
  all: (server) => server.groups.all,
  facts: groupFacts,
  describe: ({ id, name, date = null, duration = null, studio, scenes: own = [] }, server, origin) => {
    const of = server.studios.find((each) => each.name === studio);
    return {
      ...{ id, name, date, duration, scene_count: own.length },
      ...{ director: null, synopsis: null, rating: null, rating100: null },
      studio: of ? studios.describe(of, server, origin) : null,
    };
  },
  searched: ['name'],
  sorts: ['name', 'date', 'duration', 'rating', 'created_at', ...COUNTS],
  ...BY_NAME,
};

/** All kinds, by the types of their items. */
export const kinds = {
  Scene: { list: 'scenes', ...scenes },
  Image: { list: 'images', ...images },
  Gallery: { list: 'galleries', ...galleries },
  Performer: { list: 'performers', ...performers },
  Studio: { list: 'studios', ...studios },
  Tag: { list: 'tags', ...tags },
  SceneMarker: { list: 'scene_markers', ...markers },
  Group: { list: 'groups', ...groups },
  Movie: { list: 'movies', ...groups },
} as const;
