import { formerNames, type Kind, type KindNames, kinds } from '../../contract/kinds';
import type { Schema } from '../../server';

/** What a release calls the items of a kind. */
export interface ReleaseNames extends KindNames {
  /** The root field that finds all, its argument for criteria, and the type of that. */
  readonly all: string;
  readonly filter: string;
  readonly filterType: string;
  /** The root field that finds one by its id. No release has one for markers. */
  readonly one: string;
  /** The path of its list page. */
  readonly page: string;
}

/** Returns what today's releases call the items of a kind. */
export function namesOf(kind: Kind): ReleaseNames {
  return releaseNames(kinds[kind]);
}

/** Returns what any release called the items of a kind, newest first. */
export function namesEver(kind: Kind): [ReleaseNames, ...ReleaseNames[]] {
  const former = formerNames[kind];
  return [namesOf(kind), ...(former ? [releaseNames(former)] : [])];
}

/** Returns what a server calls the items of a kind; today's names if it has none. */
export function namesOn(schema: Schema, kind: Kind): ReleaseNames {
  const [newest, ...former] = namesEver(kind);
  return [newest, ...former].find(({ all }) => schema.has('Query', all)) ?? newest;
}

/** Returns the same for a request of the list. @throws {StashError} UNSUPPORTED if the server does not list the kind. */
export function listedNames(schema: Schema, kind: Kind): ReleaseNames {
  const names = namesOn(schema, kind);
  if (!schema.has('Query', names.all)) throw schema.lacks(names.all);
  return names;
}

/** Stash names everything by the same rule. */
function releaseNames({ type, list }: KindNames): ReleaseNames {
  const words = list.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const argument = type === 'SceneMarker' ? 'scene_marker' : type.toLowerCase();
  return {
    type,
    list,
    all: `find${words.join('')}`,
    filter: `${argument}_filter`,
    filterType: `${type}FilterType`,
    one: `find${type}`,
    page: type === 'SceneMarker' ? '/scenes/markers' : `/${list}`,
  };
}
