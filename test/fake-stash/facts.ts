import type { Facts } from './criteria';
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
  const { library, quirks } = server;
  const changed = describeChanges(entry, library, quirks);
  const { title = entry.title } = changed;
  const performers = performersOf(entry, server);
  const tags = tagsOf(entry, server);
  const studios = studioOf(entry, server);
  const [studio] = studios;
  const groups = server.groups.all.filter(({ scenes = [] }) => kind === 'scene' && scenes.includes(id));
  const groupIds = groups.map((group) => group.id);
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
    file_count: kind === 'gallery' && isFolder(path) ? 0 : pathsOf(entry).length,
    images_count: imagesOf(entry, server).length,
    studio: server.studios.find((each) => each.id === studio)?.name ?? studio ?? null,
    studios,
    groups: groupIds,
    movies: groupIds,
    performers,
    performer_count: performers.length,
    tags,
    tag_count: tags.length,
    marker_titles: server.markers.all
      .filter(({ scene }) => kind === 'scene' && scene === id)
      .map((marker) => marker.title),
    ...changed,
    rating: changed.rating100,
    url: changed.urls,
  };
}

export function personFacts(person: Person, server: KindsState): Facts {
  const tag_ids = listOf(person['tag_ids']);
  const { birthdate = null, weight = null } = person as Facts;
  return {
    birthdate,
    weight,
    id: Number(person.id),
    name: person.name,
    aliases: aliasesOf(person),
    rating: (person[server.quirks.ratesTo100 ? 'rating100' : 'rating'] ?? null) as number | null,
    image: Buffer.isBuffer(person['image']),
    tags: tag_ids,
    tag_count: tag_ids.length,
    scenes_count: scenesWith(server, performersOf, person.id).length,
  };
}

export function studioFacts(
  { id, name, aliases = [], hasImage, sceneCount }: Studio,
  server: KindsState,
): Facts {
  return {
    id: Number(id),
    name,
    aliases,
    image: hasImage,
    child_count: server.studios.filter((other) => other.parent === id).length,
    scene_count: sceneCount,
    scenes_count: sceneCount,
  };
}

export function tagFacts({ id, name, aliases = [] }: Tag, server: KindsState): Facts {
  return {
    id: Number(id),
    name,
    aliases,
    scenes_count: scenesWith(server, tagsOf, id).length,
  };
}

export function markerFacts({ id, title, seconds, scene, tag }: Added<Marker>, server: KindsState): Facts {
  const entry = sceneOf(scene, server);
  const { created_at = null, title: scene_title = null } = entry ? entryFacts(entry, server) : {};
  const name = server.tags.find((each) => each.id === tag)?.name ?? null;
  return {
    id: Number(id),
    title,
    sort_title: title || name,
    scene_title,
    tag: server.quirks.minor < 25 ? null : name,
    tags: [tag],
    seconds,
    scene_id: Number(scene),
    created_at,
  };
}

export function groupFacts({ id, name, date, duration, scenes: own = [] }: Added<Group>): Facts {
  return {
    id: Number(id),
    name,
    date: date ?? null,
    duration: duration ?? null,
    created_at: STARTED,
    scenes_count: own.length,
  };
}
