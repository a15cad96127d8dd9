import type { Facts } from './criteria';
import { folderOf } from './disk';
import { describeEntry, type EntryState, imagesOf, performersOf, studioOf, tagsOf } from './items';
import {
  describeStudio,
  type Entry,
  isFolder,
  type Kind,
  pathsOf,
  STARTED,
  type Studio,
  type Tag,
} from './library';
import { aliasesOf, describePerson, listOf, type Person } from './people';
import { describeChanges } from './scene-changes';
import type { Shelf } from './shelf';

/** A marker of a scene. */
export interface Marker {
  title: string;
  seconds: number;
  /** The ids of its scene and its primary tag. */
  scene: string;
  tag: string;
}

/** A group of scenes, which was a movie before v0.27. */
export interface Group {
  name: string;
  date?: string;
  /** In seconds. */
  duration?: number;
  /** The name of its studio. */
  studio?: string;
  /** The ids of its scenes. */
  scenes?: readonly string[];
}

/** The parts of the server that have items. */
export interface KindsState extends EntryState {
  readonly markers: Shelf<Marker>;
  readonly groups: Shelf<Group>;
}

/** A kind of items, with the names that lists have since v0.27. */
export interface ItemKind<Item> {
  readonly all: (server: KindsState) => readonly Item[];
  /** By the names of criteria, sorts and `is_missing`. */
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
  facts: ({ id, name, aliases = [], url, parent, hasImage, sceneCount }, server) => ({
    id: Number(id),
    name,
    aliases,
    ...absent('details rating rating100 stash_id'),
    favorite: false,
    url: url ?? null,
    image: hasImage,
    parents: parent === undefined ? [] : [parent],
    child_count: server.studios.filter((other) => other.parent === id).length,
    scene_count: sceneCount,
    scenes_count: sceneCount,
    scenes: scenesWith(server, studioOf, id),
  }),
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
  facts: ({ id, name, aliases = [] }, server) => {
    const own = scenesWith(server, tagsOf, id);
    return {
      id: Number(id),
      name,
      aliases,
      ...absent('description image'),
      favorite: false,
      parents: [],
      children: [],
      scene_count: own.length,
      scenes_count: own.length,
      scenes: own,
      marker_count: server.markers.all.filter(({ tag }) => tag === id).length,
    };
  },
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
  facts: ({ id, title, seconds, scene, tag }, server) => {
    const entry = sceneOf(scene, server);
    const {
      created_at = null,
      date = null,
      title: scene_title = null,
    } = entry ? entryFacts(entry, server) : {};
    const name = server.tags.find((each) => each.id === tag)?.name ?? null;
    return {
      id: Number(id),
      title,
      sort_title: title || name,
      scene_title,
      tag: server.quirks.minor < 25 ? null : name,
      seconds,
      duration: null,
      tags: [tag],
      scenes: [scene],
      scene_id: Number(scene),
      scene_tags: entry ? tagsOf(entry, server) : [],
      performers: entry ? performersOf(entry, server) : [],
      scene_date: date,
      created_at,
      scene_created_at: created_at,
    };
  },
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
  facts: ({ id, name, date = null, duration = null, studio, scenes: own = [] }, server) => ({
    id: Number(id),
    name,
    date,
    duration,
    ...absent('director synopsis rating rating100 front_image back_image'),
    created_at: STARTED,
    studios: studio === undefined ? [] : [server.studios.find((each) => each.name === studio)?.id ?? studio],
    performers: own.flatMap((scene) => {
      const entry = sceneOf(scene, server);
      return entry ? performersOf(entry, server) : [];
    }),
    tags: [],
    containing_groups: [],
    sub_group_count: 0,
    scenes: own,
    scenes_count: own.length,
  }),
  describe: ({ id, name, date = null, duration = null, studio, scenes: own = [] }, server, origin) => {
    const of = server.studios.find((each) => each.name === studio);
    const empty = absent('director synopsis rating rating100');
    return {
      ...{ id, name, date, duration, ...empty, scene_count: own.length },
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

function absent(names: string): Facts {
  return Object.fromEntries(names.split(' ').map((name) => [name, null]));
}

function sceneOf(id: string, { library }: KindsState): Entry | undefined {
  return library.all('scene').find((entry) => entry.id === id);
}

/** Returns the ids of the scenes that have a performer, a studio or a tag. */
function scenesWith(
  server: KindsState,
  of: (entry: Entry, server: KindsState) => readonly string[],
  wanted: string,
): string[] {
  return server.library
    .all('scene')
    .filter((entry) => of(entry, server).includes(wanted))
    .map(({ id }) => id);
}

function entryFacts(entry: Entry, server: KindsState): Facts {
  const { kind, id, path, createdAt, details } = entry;
  const { library, people, quirks } = server;
  const changed = describeChanges(entry, library, quirks);
  const { title = entry.title } = changed;
  const performers = performersOf(entry, server);
  const tags = tagsOf(entry, server);
  const own = server.markers.all.filter(({ scene }) => kind === 'scene' && scene === id);
  const [studio] = studioOf(entry, server);
  const stars = people.all.filter((person) => performers.includes(person.id));
  const { length: image_count } = imagesOf(entry, server);
  return {
    id: Number(id),
    title,
    sort_title: title ?? (quirks.sortsByFile ? path.replace(/^.*\//, '') : null),
    path,
    title_or_id: title ?? id,
    details: details.text ?? null,
    date: details.date ?? null,
    created_at: createdAt,
    duration: details.seconds ?? 60,
    resolution: 'FULL_HD',
    average_resolution: image_count > 0 ? 'FULL_HD' : null,
    orientation: 'LANDSCAPE',
    file_count: kind === 'gallery' && isFolder(path) ? 0 : pathsOf(entry).length,
    is_zip: !isFolder(path),
    image_count,
    images_count: image_count,
    studios: studio === undefined ? [] : [studio],
    studio: server.studios.find((each) => each.id === studio)?.name ?? studio ?? null,
    performers,
    performer_count: performers.length,
    performer_tags: stars.flatMap((person) => listOf(person['tag_ids'])),
    performer_favorite: stars.some(({ favorite }) => favorite === true),
    tags,
    tag_count: tags.length,
    has_markers: own.length > 0,
    markers: own.map((marker) => marker.id),
    marker_titles: own.map((marker) => marker.title),
    groups: groupsOf(entry, server),
    movies: groupsOf(entry, server),
    galleries: kind === 'image' ? galleriesWith(entry, server) : [],
    scenes: [],
    captions: [],
    cover: library.pictures.get(`${kind} ${id}`) !== null,
    ...absent('stash_id phash code director'),
    ...changed,
    rating: changed.rating100,
    url: changed.urls,
  };
}

function groupsOf({ kind, id }: Entry, server: KindsState): string[] {
  if (kind !== 'scene') return [];
  return server.groups.all.filter(({ scenes: own = [] }) => own.includes(id)).map((group) => group.id);
}

function galleriesWith({ path }: Entry, { library }: KindsState): string[] {
  const found = library.all('gallery').filter((gallery) => gallery.path === folderOf(path));
  return found.map(({ id }) => id);
}

/** Everything that a performer may lack. */
const PERSON = absent(
  'disambiguation details birthdate death_date ethnicity country eye_color hair_color height height_cm weight measurements fake_tits penis_length circumcised career_length tattoos piercings gender rating rating100 image',
);

function personFacts(person: Person, server: KindsState): Facts {
  const own = scenesWith(server, performersOf, person.id);
  const tag_ids = listOf(person['tag_ids']);
  const urls = [person['url'] ?? [], person['urls'] ?? []].flat().map(String);
  const { birthdate } = person;
  const born = typeof birthdate === 'string' ? birthdate.slice(0, 4) : '';
  const rating = (person[server.quirks.ratesTo100 ? 'rating100' : 'rating'] ?? null) as number | null;
  return {
    ...PERSON,
    ...(person as Facts),
    id: Number(person.id),
    aliases: aliasesOf(person),
    rating,
    rating100: rating,
    birth_year: born === '' ? null : Number(born),
    filter_favorites: person['favorite'] === true,
    ignore_auto_tag: person['ignore_auto_tag'] === true,
    url: urls,
    stash_id: listOf(person['stash_ids']),
    tags: tag_ids,
    tag_count: tag_ids.length,
    scenes: own,
    scene_count: own.length,
    scenes_count: own.length,
  };
}
