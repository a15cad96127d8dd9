/** What Stash's schema calls the items of a kind: the type of one, and their list. */
export interface KindNames {
  readonly type: string;
  readonly list: string;
}

/** The kinds of items, by the word for one in flow files and messages, in the order of the dialogs. */
export const kinds = {
  scene: { type: 'Scene', list: 'scenes' },
  image: { type: 'Image', list: 'images' },
  gallery: { type: 'Gallery', list: 'galleries' },
  performer: { type: 'Performer', list: 'performers' },
  studio: { type: 'Studio', list: 'studios' },
  tag: { type: 'Tag', list: 'tags' },
  marker: { type: 'SceneMarker', list: 'scene_markers' },
  group: { type: 'Group', list: 'groups' },
} as const satisfies Record<string, KindNames>;

export type Kind = keyof typeof kinds;
export const allKinds = Object.keys(kinds) as [Kind, ...Kind[]];

/** What earlier releases call a kind: groups were movies before v0.27.0. */
export const formerNames: Readonly<Partial<Record<Kind, KindNames>>> = {
  group: { type: 'Movie', list: 'movies' },
};

/** The kinds whose items have files. */
export const fileKinds = ['scene', 'image', 'gallery'] as const satisfies readonly Kind[];
export type FileKind = (typeof fileKinds)[number];
/** The kinds whose items are referred to by their names and aliases. */
export type NamedKind = 'performer' | 'studio' | 'tag';
/** The kinds of items of which a dialog offers a choice in its rows: for variables, and for what a change names. */
export const rowKinds = ['scene', 'studio', 'performer', 'tag'] as const satisfies readonly Kind[];
export type RowKind = (typeof rowKinds)[number];
/** The kinds of items of which a dialog offers a choice. */
export type ChoiceKind = RowKind | 'image' | 'gallery';

/** Returns the kind of the items of a type in Stash's schema, as `__typename` names it; undefined for another type. */
export function kindOfType(type: string): Kind | undefined {
  return allKinds.find((kind) => kinds[kind].type === type || formerNames[kind]?.type === type);
}
