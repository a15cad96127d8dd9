import { allKinds, fileKinds, type Kind } from '../../contract/kinds';
import { isRecord, isString } from '../../guards';
import { type Requirements, type Schema, select, type Selection, type Variant } from '../../server';
import { dateIn } from './dates';
import { namesOf, namesOn } from './kinds';
import { aliasesIn } from './names';
import {
  everyNameIn,
  inFirstFile,
  nameIn,
  numberOrNull,
  pathsOf,
  type RawItem,
  shownPath,
  textOrNull,
  textsIn,
  titleOf,
} from './values';

/** One way in which releases have a field of items. */
export interface FieldVariant extends Variant {
  /** The first release that has it, if not every supported one has. */
  readonly since?: string;
  /** Its name in inputs; the same by default. */
  readonly input?: string;
  /** Returns the value to send for a wanted one, which may be null; that by default. */
  readonly write?: (wanted: unknown, schema: Schema) => unknown;
  /** The mutations that add one to it, newest first. */
  readonly increment?: readonly string[];
}

type More = Partial<FieldVariant>;
const text = (name: string, more: More = {}): FieldVariant => ({ name, read: textOrNull, ...more });
const number = (name: string, more: More = {}): FieldVariant => ({ name, read: numberOrNull, ...more });
const flag = (name: string): FieldVariant => ({ name, read: (value) => value === true });
const names = (name: string, input: string): FieldVariant => {
  return { name, select: `${name} { id name }`, read: everyNameIn, input };
};
const date: FieldVariant = {
  ...text('date'),
  write: (wanted, schema) => (isString(wanted) ? (dateIn(wanted, schema) ?? null) : null),
};
/** A number of stars, before v0.18.0. */
const stars: FieldVariant = {
  name: 'rating',
  read: (value) => {
    const count = numberOrNull(value);
    return count === null ? null : count * 20;
  },
  write: (wanted) => (wanted === null ? null : Math.round(Number(wanted) / 20)),
};
/** The addresses, of which there was one before a release. */
const urls = (since: string, first?: string): FieldVariant[] => [
  { name: 'urls', since },
  { name: 'url', ...(first !== undefined && { since: first }) },
];

const VIDEO = 'size width height duration';
const PICTURE = 'size width height';
const EITHER = `visual_files { ... on VideoFile { path ${PICTURE} } ... on ImageFile { path ${PICTURE} } }`;
/** How releases have the files of each kind, newest first. An image may be a video since v0.21.0. */
const files = {
  scene: [
    { name: 'files', select: `files { path ${VIDEO} }` },
    { name: 'file', select: `file { ${VIDEO} }` },
  ],
  image: [
    { name: 'visual_files', select: EITHER },
    { name: 'files', select: `files { path ${PICTURE} }` },
    { name: 'file', select: `file { ${PICTURE} }` },
  ],
} as const;
const inFiles = (kind: keyof typeof files, read: NonNullable<FieldVariant['read']>): FieldVariant[] =>
  files[kind].map((variant) => ({ ...variant, read }));
const file = (kind: keyof typeof files, name: string) => inFiles(kind, (_, item) => inFirstFile(item, name));
const readPaths = (_: unknown, item: RawItem) => pathsOf(item).map(shownPath);
const path: FieldVariant = { name: 'path', read: readPaths };

/** The ways in which releases have a field of some kinds, newest first. Its name is that in messages and changes. */
const row = (field: string, of: readonly Kind[], ...as: readonly FieldVariant[]) => ({ field, of, as });

/**
 * The fields of items, in the order of a message: what Stash calls them in each release. A field that a new release renames is one
 * more variant here, a new field one more row: here if messages have it, otherwise in `rows`.
 */
const messageRows = [
  row('name', ['performer', 'studio', 'tag', 'group'], text('name')),
  row('title', fileKinds, { name: 'title', read: (_, item) => titleOf(item) }),
  row('title', ['marker'], text('title')),
  // A single `file` has no path.
  row('paths', ['scene'], ...inFiles('scene', readPaths).slice(0, -1), path),
  row('paths', ['image'], ...inFiles('image', readPaths).slice(0, -1), path),
  // A gallery is a folder, or an archive.
  row(
    'paths',
    ['gallery'],
    { name: 'folder', select: 'files { path } folder { path }', read: readPaths },
    path,
  ),
  row('disambiguation', ['performer'], text('disambiguation')),
  row(
    'aliases',
    ['performer'],
    { name: 'alias_list', since: 'v0.19.0', read: textsIn },
    // They were one text.
    { name: 'aliases', read: (_, item) => aliasesIn(item) },
  ),
  row('aliases', ['studio', 'tag'], { name: 'aliases', read: textsIn }),
  row('birthdate', ['performer'], text('birthdate')),
  row('gender', ['performer'], text('gender')),
  row('country', ['performer'], text('country')),
  row('date', ['scene', 'gallery', 'group'], date),
  row('date', ['image'], { ...date, since: 'v0.19.0' }),
  row('details', ['scene'], text('details')),
  row('tag', ['marker'], {
    name: 'primary_tag',
    select: 'primary_tag { name }',
    read: nameIn,
    input: 'primary_tag_id',
  }),
  row('seconds', ['scene'], ...file('scene', 'duration')),
  row('seconds', ['marker'], number('seconds')),
  row('seconds', ['group'], number('duration')),
  row('bytes', ['scene'], ...file('scene', 'size')),
  row('bytes', ['image'], ...file('image', 'size')),
  row('width', ['scene'], ...file('scene', 'width')),
  row('width', ['image'], ...file('image', 'width')),
  row('height', ['scene'], ...file('scene', 'height')),
  row('height', ['image'], ...file('image', 'height')),
  row('images', ['gallery'], number('image_count')),
  row('studio', fileKinds, {
    name: 'studio',
    select: 'studio { id name }',
    read: nameIn,
    input: 'studio_id',
  }),
  row('performers', fileKinds, names('performers', 'performer_ids')),
  row('tags', fileKinds, names('tags', 'tag_ids')),
  row('rating', [...fileKinds, 'performer'], number('rating100', { since: 'v0.18.0' }), stars),
  row('favorite', ['performer'], flag('favorite')),
  row('scenes', ['performer', 'studio', 'tag', 'group'], number('scene_count')),
  row('organized', fileKinds, {
    name: 'organized',
    read: (value) => (typeof value === 'boolean' ? value : null),
  }),
  row('organized', ['studio'], { ...flag('organized'), since: 'v0.31.0' }),
  row(
    'playCount',
    ['scene'],
    number('play_count', { since: 'v0.18.0', increment: ['sceneAddPlay', 'sceneIncrementPlayCount'] }),
  ),
  row('oCounter', ['scene'], number('o_counter', { increment: ['sceneAddO', 'sceneIncrementO'] })),
  row('oCounter', ['image'], number('o_counter', { increment: ['imageIncrementO'] })),
  row('scene', ['marker'], {
    name: 'scene',
    select: (schema) => `scene { id ${selectItem(schema, 'scene', ['title', 'paths']).text} }`,
    read: (scene) =>
      isRecord(scene) ? { id: String(scene['id']), kind: 'scene', title: titleOf(scene) } : null,
  }),
];

const rows = [
  ...messageRows,
  // What no message has.
  row('height', ['performer'], { name: 'height_cm', since: 'v0.19.0' }, { name: 'height' }),
  row('details', ['image'], text('details', { since: 'v0.24.0' })),
  row('details', ['gallery', 'performer'], text('details')),
  row('urls', ['scene'], ...urls('v0.22.0')),
  row('urls', ['image'], ...urls('v0.23.0', 'v0.19.0')),
  row('urls', ['gallery'], ...urls('v0.23.0')),
  row('urls', ['performer'], ...urls('v0.27.0')),
  row('tags', ['performer'], names('tags', 'tag_ids')),
  // How long a scene was watched in all, and where its last viewer is, in seconds.
  row('watched', ['scene'], { name: 'play_duration', since: 'v0.18.0' }),
  row('position', ['scene'], { name: 'resume_time', since: 'v0.18.0' }),
  // The id of the image that is its cover; the address of a picture.
  row('picture', ['gallery'], {
    name: 'cover',
    select: 'cover { id }',
    read: (cover) => isRecord(cover) && cover['id'],
  }),
  row('picture', ['performer', 'studio', 'tag'], { name: 'image_path' }),
  row('picture', ['group'], { name: 'front_image_path' }),
];

/** The rows of each kind, by field. */
const byKind = Object.fromEntries(
  allKinds.map((kind) => {
    const own = rows.filter(({ of }) => of.includes(kind));
    return [kind, Object.fromEntries(own.map(({ field, as }) => [field, as]))];
  }),
) as Readonly<Record<Kind, Readonly<Record<string, readonly FieldVariant[]>>>>;

/** Returns the ways in which releases have a field, newest first; none of a field that the kind does not have. */
export function variantsOf(kind: Kind, field: string): readonly FieldVariant[] {
  return byKind[kind][field] ?? [];
}

/** Returns the way in which a server has a field; undefined if it lacks it. */
export function variantOn(schema: Schema, kind: Kind, field: string): FieldVariant | undefined {
  const { type } = namesOn(schema, kind);
  return variantsOf(kind, field).find(({ name }) => schema.has(type, name));
}

/** The words for fields of inputs that no item has by that name. */
const INPUT_WORDS: Readonly<Record<string, string>> = {
  image: 'picture',
  cover_image: 'picture',
  front_image: 'picture',
  group_ids: 'groups',
  movie_ids: 'groups',
  movies: 'groups',
  gallery_ids: 'galleries',
};

/** Returns the word for a field of an input; Stash's own name where there is none. */
export function inputWord(kind: Kind, name: string): string {
  const isOf = ({ of, as }: (typeof rows)[number]) =>
    of.includes(kind) && as.some((variant) => (variant.input ?? variant.name) === name);
  return INPUT_WORDS[name] ?? rows.find(isOf)?.field ?? name;
}

/** Returns the fields of a kind that messages have, in their order. */
export function messageFields(kind: Kind): string[] {
  return messageRows.filter(({ of }) => of.includes(kind)).map(({ field }) => field);
}

/** Selects fields of the items of a kind, by their names in messages. Reading is pure: it depends on the response alone. */
export function selectItem(schema: Schema, kind: Kind, fields: readonly string[]): Selection {
  return select<string>(schema, namesOn(schema, kind).type, fields, byKind[kind]);
}

/** Returns what not every release has of some fields, by the names of the fields. */
export function requirementsOf(kind: Kind, fields: readonly string[]): Requirements {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const variants = variantsOf(kind, field);
      const since = variants.at(-1)?.since;
      const { type } = namesOf(kind);
      return since === undefined
        ? []
        : [[field, { anyOf: variants.map(({ name }) => [type, name] as const), since }]];
    }),
  );
}
