import { fileKinds, type Kind, type NamedKind } from './kinds';

export const updateKinds = [...fileKinds, 'performer'] as const satisfies readonly Kind[];
/** A kind of items that an update can change. */
export type UpdateKind = (typeof updateKinds)[number];

export type UpdateAction = 'add' | 'remove' | 'set' | 'clear';

/** What a field takes. `names`: other items, by names or IDs. `count`: how often to count. */
export type ValueForm = 'names' | 'name' | 'rating' | 'flag' | 'text' | 'texts' | 'count';

/** The bounds of numbers, which are whole. */
const bounds = { rating: { least: 0, most: 100 }, count: { least: 1, most: 100 } } as const;

/** Returns whether a number is a rating, or how often to count at a time. */
export function isWithin(form: keyof typeof bounds, value: number): boolean {
  const { least, most } = bounds[form];
  return Number.isInteger(value) && value >= least && value <= most;
}

interface FieldRules {
  readonly kinds: readonly UpdateKind[];
  readonly actions: readonly UpdateAction[];
  readonly form: ValueForm;
}

/** The fields that an update can change, in the order of the dialog. */
export const updateFields = {
  tags: { kinds: updateKinds, actions: ['add', 'remove', 'set', 'clear'], form: 'names' },
  performers: { kinds: fileKinds, actions: ['add', 'remove', 'set', 'clear'], form: 'names' },
  studio: { kinds: fileKinds, actions: ['set', 'clear'], form: 'name' },
  rating: { kinds: updateKinds, actions: ['set', 'clear'], form: 'rating' },
  organized: { kinds: fileKinds, actions: ['set'], form: 'flag' },
  favorite: { kinds: ['performer'], actions: ['set'], form: 'flag' },
  title: { kinds: fileKinds, actions: ['set', 'clear'], form: 'text' },
  details: { kinds: updateKinds, actions: ['set', 'clear'], form: 'text' },
  date: { kinds: fileKinds, actions: ['set', 'clear'], form: 'text' },
  urls: { kinds: updateKinds, actions: ['add', 'remove', 'set', 'clear'], form: 'texts' },
  playCount: { kinds: ['scene'], actions: ['add'], form: 'count' },
  oCounter: { kinds: ['scene', 'image'], actions: ['add'], form: 'count' },
} as const satisfies Record<string, FieldRules>;

export type UpdateField = keyof typeof updateFields;

/** The fields whose values are other items, and their kinds. */
export const kindOfField: Readonly<Partial<Record<string, NamedKind>>> = {
  tags: 'tag',
  performers: 'performer',
  studio: 'studio',
};

/** The type of a value that is the name of the folder of each item. */
export const FOLDER_TYPE = 'folder';

/** Whether a field can be the name of the folder of an item: what a folder may be called after, of items that have files. */
export function takesFolder(kind: string, field: string): boolean {
  return fileKinds.some((one) => one === kind) && (field in kindOfField || field === 'title');
}

/** Returns the rules of a field; undefined for an unknown one. */
export function rulesOf(field: string): FieldRules | undefined {
  return Object.entries(updateFields).find(([name]) => name === field)?.[1];
}

export function fieldsOfKind(kind: UpdateKind): UpdateField[] {
  return (Object.keys(updateFields) as UpdateField[]).filter((field) => rulesOf(field)?.kinds.includes(kind));
}

export function isList(field: UpdateField): boolean {
  return ['names', 'texts'].includes(updateFields[field].form);
}

/** A row of the dialog, as the flow file has it. */
export interface ChangeRow {
  field: string;
  action: string;
  value: string;
  valueType: string;
}

/** Reads a row, whose properties may be missing or wrong. Others, which only a newer version knows, stay. */
export function changeRowIn(row: unknown): ChangeRow {
  const given = typeof row === 'object' && row !== null ? (row as Readonly<Record<string, unknown>>) : {};
  const textOf = (name: string) => (typeof given[name] === 'string' ? given[name] : '');
  return {
    ...given,
    field: textOf('field'),
    action: textOf('action'),
    value: textOf('value'),
    valueType: textOf('valueType') || 'str',
  };
}
