import { type FileKind, fileKinds, type Kind, kindOfType, kinds } from '../../contract/kinds';
import { StashError } from '../../errors';
import { isRecord, isString } from '../../guards';
import { evaluated, type EvaluatedProperty } from './define';
import { type InputDetails, JSON_TYPES, list } from './typed';

/** Items of the library by kind, by their ids. */
export type ChosenItems = Readonly<Record<FileKind, readonly string[]>>;

const TYPES = [...JSON_TYPES, 'scenes'];

/** The items that an input takes. */
interface WantedItems<Wanted extends Kind> {
  /** An ID alone is an item of the first kind. */
  readonly kinds: readonly [Wanted, ...Wanted[]];
  /** The error for what names no item. */
  readonly wrong: 'BAD_INPUT.notIds' | 'BAD_INPUT.notMarkers' | 'BAD_INPUT.notItems';
}

interface ChosenItem<Wanted extends Kind> {
  kind: Wanted;
  id: string;
  /** As it was given: the item itself, or an object with its ID. */
  item: object;
}

/**
 * A typed input for items of the library; null if its type is `everything`. Accepts items with their kind, as other nodes and queries
 * describe them, IDs of scenes as whole numbers, also as text, objects with such an `id` alone, the record of a scan with its new
 * items, and those alone. Only a scan's list of new items may be empty. Rejects the `id` of any other job's record, because it is not
 * a scene's.
 */
export function chosenItems(name: string, everything: string): EvaluatedProperty<ChosenItems | null> {
  const wanted = { kinds: fileKinds, wrong: 'BAD_INPUT.notIds' } as const;
  const items = list(name, everything, (value, details) => itemsIn(value, wanted, details), TYPES);
  return evaluated(async (config, evaluate) => {
    const chosen = await items.read(config, evaluate);
    const idsOf = (kind: FileKind) => (chosen ?? []).filter((item) => item.kind === kind).map(({ id }) => id);
    return chosen && { scene: idsOf('scene'), image: idsOf('image'), gallery: idsOf('gallery') };
  });
}

/** Like `chosenItems`, for scenes alone. */
export function sceneIds(name: string, everything: string): EvaluatedProperty<readonly string[] | null> {
  return ids(name, everything, { kinds: ['scene'], wrong: 'BAD_INPUT.notIds' }, TYPES);
}

/**
 * A typed input for IDs of markers; null if its type is `none`. Accepts whole numbers, also as text, objects with such an `id` alone,
 * and markers with their kind.
 */
export function markerIds(name: string, none: string): EvaluatedProperty<readonly string[] | null> {
  return ids(name, none, { kinds: ['marker'], wrong: 'BAD_INPUT.notMarkers' });
}

/** Like `sceneIds`, for items of another kind; without a picker. */
export function itemIds(
  name: string,
  none: string,
  kind: 'image' | 'gallery',
): EvaluatedProperty<readonly string[] | null> {
  return ids(name, none, { kinds: [kind], wrong: 'BAD_INPUT.notItems' });
}

function ids(
  name: string,
  none: string,
  wanted: WantedItems<Kind>,
  types?: readonly string[],
): EvaluatedProperty<readonly string[] | null> {
  return list(name, none, (value, details) => itemsIn(value, wanted, details).map(({ id }) => id), types);
}

/**
 * Returns the items in one value of a list. Of a scan's new items, these are those of the wanted kinds.
 * @throws {StashError} BAD_INPUT, also for an item of another kind or without one, because it is not the one with the same ID.
 */
export function itemsIn<Wanted extends Kind>(
  value: unknown,
  wanted: WantedItems<Wanted>,
  details: InputDetails,
): ChosenItem<Wanted>[] {
  const itemOf = (kind: Wanted, id: string, item: object = { id }): ChosenItem<Wanted> => ({
    kind,
    id,
    item,
  });
  if (!isRecord(value)) return [itemOf(wanted.kinds[0], itemIdOf(value, wanted, details))];
  if (isItem(value)) {
    return [itemOf(kindIn(value, wanted.kinds, details), itemIdOf(value['id'], wanted, details), value)];
  }
  // A scan for which nothing was left has no new items.
  if (value['status'] === 'SKIPPED') return [];
  const found = 'new' in value || 'status' in value ? value['new'] : value;
  if (!isRecord(found)) throw new StashError('BAD_INPUT.noNew', { details });
  if (!fileKinds.some((kind) => isRecord(found[kinds[kind].list]))) {
    throw new StashError(found === value ? wanted.wrong : 'BAD_INPUT.noNew', { details });
  }
  const listOf = (kind: Kind) => found[kinds[kind].list];
  const present = wanted.kinds.filter((kind) => isRecord(listOf(kind)));
  // A server that does not report when its scenes were added cannot say which are new.
  if (present.length === 0) throw new StashError('BAD_INPUT.noNew', { details });
  return present.flatMap((kind) => newIdsIn(listOf(kind), wanted, details).map((id) => itemOf(kind, id)));
}

/** Whether an object is an item of the library, and not the record of a job. */
function isItem(value: Readonly<Record<string, unknown>>): boolean {
  return 'id' in value && (hasKind(value) || !('new' in value || 'status' in value));
}

/** Whether an object says of what kind it is, perhaps in a way that is not known. */
export function hasKind(value: unknown): boolean {
  return isRecord(value) && ('kind' in value || '__typename' in value);
}

function newIdsIn(content: unknown, wanted: WantedItems<Kind>, details: InputDetails): string[] {
  const { ids } = isRecord(content) ? content : {};
  if (!Array.isArray(ids)) throw new StashError('BAD_INPUT.noNew', { details });
  return ids.map((id) => itemIdOf(id, wanted, details));
}

/**
 * Returns the kind of an item; of an ID alone, the first of those wanted.
 * @throws {StashError} BAD_INPUT for another, and for an item that does not say its kind: its ID means something else there.
 */
export function kindIn<Wanted extends Kind>(
  item: Readonly<Record<string, unknown>>,
  wanted: WantedItems<Wanted>['kinds'],
  details: InputDetails,
): Wanted {
  const { kind: own, __typename: type } = item;
  if (!hasKind(item) && Object.keys(item).length === 1) return wanted[0];
  const kind = isString(type) && own === undefined ? (kindOfType(type) ?? type) : own;
  if (!isString(kind)) throw new StashError('BAD_INPUT.noKind', { details });
  const known = wanted.find((one) => one === kind);
  if (known) return known;
  throw new StashError('BAD_INPUT.otherKind', { details: { ...details, kind: kind.slice(0, 20) } });
}

function itemIdOf(value: unknown, { wrong }: WantedItems<Kind>, details: InputDetails): string {
  const id = wholeNumber(isString(value) ? value.trim() : value);
  if (id === undefined) throw new StashError(wrong, { details });
  return id;
}

/** Returns a whole number as text without leading zeros, if it fits into the server's 64 bits. */
function wholeNumber(value: unknown): string | undefined {
  const isScalar = typeof value === 'string' || typeof value === 'number';
  const text = isScalar ? String(value) : '';
  return text.length < 30 ? /^0*(\d{1,18})$/.exec(text)?.[1] : undefined;
}
