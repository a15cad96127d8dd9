import type { Facts } from './criteria';
import { folderOf } from './disk';
import { type EntryState, imagesOf, performersOf, studioOf, tagsOf } from './items';
import { type Entry, isFolder, pathsOf, STARTED, type Studio, type Tag } from './library';
import { aliasesOf, listOf, type Person } from './people';
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

/** A thing that a test has added, with its id. */
type Added<Item> = Item & { readonly id: string };

/** The parts of the server that have items. */
export interface KindsState extends EntryState {
  readonly markers: Shelf<Marker>;
  readonly groups: Shelf<Group>;
}

/** Returns what an item lacks. */
export function absent(names: string): Facts {
  return Object.fromEntries(names.split(' ').map((name) => [name, null]));
}

/** Returns a scene. */
export function sceneOf(id: string, { library }: KindsState): Entry | undefined {
  return library.all('scene').find((entry) => entry.id === id);
}

/** Returns the ids of the scenes that have a performer, a studio or a tag. */
export function scenesWith(
  server: KindsState,
  of: (entry: Entry, server: KindsState) => readonly string[],
  wanted: string,
): string[] {
  return server.library
    .all('scene')
    .filter((entry) => of(entry, server).includes(wanted))
    .map(({ id }) => id);
}

// What follows returns the facts of an item, by the names of criteria, of sorts and of `is_missing`.

export function entryFacts(entry: Entry, server: KindsState): Facts {
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
  'disambiguation details birthdate death_date ethnicity country eye_color hair_color height height_cm weight measurements fake_tits penis_length circumcised career_length career_start career_end tattoos piercings gender rating rating100 image',
);

export function personFacts(person: Person, server: KindsState): Facts {
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
    image: Buffer.isBuffer(person['image']),
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

export function studioFacts(
  { id, name, aliases = [], url, parent, organized = false, hasImage, sceneCount }: Studio,
  server: KindsState,
): Facts {
  return {
    id: Number(id),
    name,
    aliases,
    ...absent('details rating rating100 stash_id'),
    favorite: false,
    organized,
    url: url ?? null,
    image: hasImage,
    parents: parent === undefined ? [] : [parent],
    child_count: server.studios.filter((other) => other.parent === id).length,
    scene_count: sceneCount,
    scenes_count: sceneCount,
    scenes: scenesWith(server, studioOf, id),
  };
}

export function tagFacts({ id, name, aliases = [] }: Tag, server: KindsState): Facts {
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
}

export function markerFacts({ id, title, seconds, scene, tag }: Added<Marker>, server: KindsState): Facts {
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
}

export function groupFacts(
  { id, name, date, duration, studio, scenes: own = [] }: Added<Group>,
  server: KindsState,
): Facts {
  return {
    id: Number(id),
    name,
    date: date ?? null,
    duration: duration ?? null,
    ...absent('director synopsis rating rating100 front_image back_image'),
    // Later, there are several in another table.
    ...(server.quirks.minor < 27 && { url: null }),
    created_at: STARTED,
    studios: studio === undefined ? [] : [server.studios.find((each) => each.name === studio)?.id ?? studio],
    performers: own.flatMap((scene) => {
      const entry = sceneOf(scene, server);
      return entry ? performersOf(entry, server) : [];
    }),
    tags: [],
    containing_groups: [],
    sub_group_count: 0,
    scene_count: own.length,
    scenes: own,
    scenes_count: own.length,
  };
}
