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

interface FieldRow {
  /** Its name in messages and changes. */
  readonly field: string;
  readonly of: readonly Kind[];
  /** The ways in which releases have it, newest first. */
  readonly as: readonly FieldVariant[];
  /** False for a field that no message has. */
  readonly isInMessages?: false;
}

const text = (name: string): FieldVariant => ({ name, read: textOrNull });
const number = (name: string): FieldVariant => ({ name, read: numberOrNull });
const flag = (name: string): FieldVariant => ({ name, read: (value) => value === true });
const names = (name: string, input: string): FieldVariant => ({
  name,
  select: `${name} { id name }`,
  read: everyNameIn,
  input,
});
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
const file = (kind: keyof typeof files, name: string): FieldVariant[] =>
  files[kind].map((variant) => ({ ...variant, read: (_, item) => inFirstFile(item, name) }));
const readPaths: FieldVariant['read'] = (_, item) => pathsOf(item).map(shownPath);
const path: FieldVariant = { name: 'path', read: readPaths };

/**
 * The fields of items, in the order of a message: what Stash calls them in each release. A field that a new release renames is one
 * more variant here, a new field one more row.
 */
const rows: readonly FieldRow[] = [
  { field: 'name', of: ['performer', 'studio', 'tag', 'group'], as: [text('name')] },
  { field: 'title', of: fileKinds, as: [{ name: 'title', read: (_, item) => titleOf(item) }] },
  { field: 'title', of: ['marker'], as: [text('title')] },
  {
    field: 'paths',
    of: ['scene'],
    as: [{ ...files.scene[0], read: readPaths }, path],
  },
  {
    field: 'paths',
    of: ['image'],
    as: [{ ...files.image[0], read: readPaths }, { ...files.image[1], read: readPaths }, path],
  },
  {
    // A gallery is a folder, or an archive.
    field: 'paths',
    of: ['gallery'],
    as: [{ name: 'folder', select: 'files { path } folder { path }', read: readPaths }, path],
  },
  { field: 'disambiguation', of: ['performer'], as: [text('disambiguation')] },
  {
    field: 'aliases',
    of: ['performer'],
    as: [
      { name: 'alias_list', since: 'v0.19.0', read: textsIn },
      // They were one text.
      { name: 'aliases', read: (_, item) => aliasesIn(item) },
    ],
  },
  { field: 'aliases', of: ['studio', 'tag'], as: [{ name: 'aliases', read: textsIn }] },
  { field: 'birthdate', of: ['performer'], as: [text('birthdate')] },
  { field: 'gender', of: ['performer'], as: [text('gender')] },
  { field: 'country', of: ['performer'], as: [text('country')] },
  {
    field: 'height',
    of: ['performer'],
    as: [{ name: 'height_cm', since: 'v0.19.0' }, { name: 'height' }],
    isInMessages: false,
  },
  { field: 'date', of: ['scene', 'gallery', 'group'], as: [date] },
  { field: 'date', of: ['image'], as: [{ ...date, since: 'v0.19.0' }] },
  { field: 'details', of: ['scene'], as: [text('details')] },
  { field: 'details', of: ['image'], as: [{ ...text('details'), since: 'v0.24.0' }], isInMessages: false },
  { field: 'details', of: ['gallery', 'performer'], as: [text('details')], isInMessages: false },
  { field: 'urls', of: ['scene'], as: urls('v0.22.0'), isInMessages: false },
  { field: 'urls', of: ['image'], as: urls('v0.23.0', 'v0.19.0'), isInMessages: false },
  { field: 'urls', of: ['gallery'], as: urls('v0.23.0'), isInMessages: false },
  { field: 'urls', of: ['performer'], as: urls('v0.27.0'), isInMessages: false },
  {
    field: 'tag',
    of: ['marker'],
    as: [{ name: 'primary_tag', select: 'primary_tag { name }', read: nameIn }],
  },
  { field: 'seconds', of: ['scene'], as: file('scene', 'duration') },
  { field: 'seconds', of: ['marker'], as: [number('seconds')] },
  { field: 'seconds', of: ['group'], as: [number('duration')] },
  { field: 'bytes', of: ['scene'], as: file('scene', 'size') },
  { field: 'bytes', of: ['image'], as: file('image', 'size') },
  { field: 'width', of: ['scene'], as: file('scene', 'width') },
  { field: 'width', of: ['image'], as: file('image', 'width') },
  { field: 'height', of: ['scene'], as: file('scene', 'height') },
  { field: 'height', of: ['image'], as: file('image', 'height') },
  { field: 'images', of: ['gallery'], as: [number('image_count')] },
  {
    field: 'studio',
    of: fileKinds,
    as: [{ name: 'studio', select: 'studio { id name }', read: nameIn, input: 'studio_id' }],
  },
  { field: 'performers', of: fileKinds, as: [names('performers', 'performer_ids')] },
  { field: 'tags', of: fileKinds, as: [names('tags', 'tag_ids')] },
  { field: 'tags', of: ['performer'], as: [names('tags', 'tag_ids')], isInMessages: false },
  {
    field: 'rating',
    of: [...fileKinds, 'performer'],
    as: [{ ...number('rating100'), since: 'v0.18.0' }, stars],
  },
  { field: 'favorite', of: ['performer'], as: [flag('favorite')] },
  { field: 'scenes', of: ['performer', 'studio', 'tag', 'group'], as: [number('scene_count')] },
  {
    field: 'organized',
    of: fileKinds,
    as: [{ name: 'organized', read: (value) => (typeof value === 'boolean' ? value : null) }],
  },
  { field: 'organized', of: ['studio'], as: [{ ...flag('organized'), since: 'v0.31.0' }] },
  {
    field: 'playCount',
    of: ['scene'],
    as: [
      {
        ...number('play_count'),
        since: 'v0.18.0',
        increment: ['sceneAddPlay', 'sceneIncrementPlayCount'],
      },
    ],
  },
  {
    field: 'oCounter',
    of: ['scene'],
    as: [{ ...number('o_counter'), increment: ['sceneAddO', 'sceneIncrementO'] }],
  },
  { field: 'oCounter', of: ['image'], as: [{ ...number('o_counter'), increment: ['imageIncrementO'] }] },
  {
    field: 'scene',
    of: ['marker'],
    as: [
      {
        name: 'scene',
        select: (schema) => `scene { id ${selectItem(schema, 'scene', ['title', 'paths']).text} }`,
        read: (scene) =>
          isRecord(scene) ? { id: String(scene['id']), kind: 'scene', title: titleOf(scene) } : null,
      },
    ],
  },
  // How long a scene was watched in all, and where its last viewer is, in seconds.
  { field: 'watched', of: ['scene'], as: [{ name: 'play_duration', since: 'v0.18.0' }], isInMessages: false },
  { field: 'position', of: ['scene'], as: [{ name: 'resume_time', since: 'v0.18.0' }], isInMessages: false },
  // The id of the image that is its cover; the address of a picture.
  {
    field: 'picture',
    of: ['gallery'],
    as: [{ name: 'cover', select: 'cover { id }', read: (cover) => isRecord(cover) && cover['id'] }],
    isInMessages: false,
  },
  { field: 'picture', of: ['performer', 'studio', 'tag'], as: [{ name: 'image_path' }], isInMessages: false },
  { field: 'picture', of: ['group'], as: [{ name: 'front_image_path' }], isInMessages: false },
];

type Variants = Readonly<Record<string, readonly FieldVariant[]>>;

/** The rows of each kind, by field. */
const byKind = Object.fromEntries(
  allKinds.map((kind) => {
    const own = rows.filter(({ of }) => of.includes(kind));
    return [kind, Object.fromEntries(own.map(({ field, as }) => [field, as]))];
  }),
) as Readonly<Record<Kind, Variants>>;

/** Returns the ways in which releases have a field, newest first; none of a field that the kind does not have. */
export function variantsOf(kind: Kind, field: string): readonly FieldVariant[] {
  return byKind[kind][field] ?? [];
}

/** Returns the way in which a server has a field; undefined if it lacks it. */
export function variantOn(schema: Schema, kind: Kind, field: string): FieldVariant | undefined {
  const { type } = namesOn(schema, kind);
  return variantsOf(kind, field).find(({ name }) => schema.has(type, name));
}

/** Returns the fields of a kind that messages have, in their order. */
export function messageFields(kind: Kind): string[] {
  return rows
    .filter(({ of, isInMessages = true }) => isInMessages && of.includes(kind))
    .map(({ field }) => field);
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
