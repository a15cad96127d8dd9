import { StashError } from '../../errors';
import { isRecord } from '../../guards';
import { evaluated, type EvaluatedProperty } from './define';
import { type InputDetails, JSON_TYPES, list } from './typed';

/** Items of the library, by their ids. */
export interface ChosenItems {
  scenes: readonly string[];
  images: readonly string[];
  galleries: readonly string[];
}

type Kind = keyof ChosenItems;
const kinds: readonly Kind[] = ['scenes', 'images', 'galleries'];

const TYPES = [...JSON_TYPES, 'scenes'];

interface Item {
  kind: Kind;
  id: string;
}

/**
 * A typed input for items of the library; null if its type is `everything`. Accepts IDs of scenes as whole numbers, also as
 * text, objects with such an `id`, the record of a scan with its new items, and those alone. Only a scan's list of new items
 * may be empty. Rejects the `id` of any other job's record, because it is not a scene's.
 */
export function chosenItems(name: string, everything: string): EvaluatedProperty<ChosenItems | null> {
  const items = list(name, everything, (value, details) => itemsIn(value, kinds, details), TYPES);
  return evaluated(async (config, evaluate) => {
    const chosen = await items.read(config, evaluate);
    const idsOf = (kind: Kind) => (chosen ?? []).filter((item) => item.kind === kind).map(({ id }) => id);
    return chosen && { scenes: idsOf('scenes'), images: idsOf('images'), galleries: idsOf('galleries') };
  });
}

/** Like `chosenItems`, for scenes alone. */
export function sceneIds(name: string, everything: string): EvaluatedProperty<readonly string[] | null> {
  const items = list(name, everything, (value, details) => itemsIn(value, ['scenes'], details), TYPES);
  return evaluated(async (config, evaluate) => {
    const chosen = await items.read(config, evaluate);
    return chosen && chosen.map(({ id }) => id);
  });
}

/**
 * A typed input for IDs of markers; null if its type is `none`. Accepts whole numbers, also as text, and objects with such an
 * `id`.
 */
export function markerIds(name: string, none: string): EvaluatedProperty<readonly string[] | null> {
  return list(name, none, (value, details) => {
    const id = wholeNumber(isRecord(value) ? value['id'] : value);
    if (id === undefined) throw new StashError('BAD_INPUT.notMarkers', { details });
    return [id];
  });
}

/** Returns the items of the wanted kinds in one value of a list. */
function itemsIn(value: unknown, wanted: readonly Kind[], details: InputDetails): Item[] {
  if (!isRecord(value)) return [{ kind: 'scenes', id: itemIdOf(value, details) }];
  // A scan for which nothing was left has no new items.
  if (value['status'] === 'SKIPPED') return [];
  const found = 'new' in value || 'status' in value ? value['new'] : value;
  if (!isRecord(found)) throw new StashError('BAD_INPUT.noNew', { details });
  if (!kinds.some((kind) => isRecord(found[kind]))) {
    if (found !== value) throw new StashError('BAD_INPUT.noNew', { details });
    return [{ kind: 'scenes', id: itemIdOf(value['id'], details) }];
  }
  const present = wanted.filter((kind) => isRecord(found[kind]));
  // A server that does not tell when its scenes were added cannot say which are new.
  if (present.length === 0) throw new StashError('BAD_INPUT.noNew', { details });
  return present.flatMap((kind) => newItemIds(found[kind], details).map((id) => ({ kind, id })));
}

function newItemIds(content: unknown, details: InputDetails): string[] {
  const { ids } = isRecord(content) ? content : {};
  if (!Array.isArray(ids)) throw new StashError('BAD_INPUT.noNew', { details });
  return ids.map((id) => itemIdOf(id, details));
}

function itemIdOf(value: unknown, details: InputDetails): string {
  const id = wholeNumber(value);
  if (id === undefined) throw new StashError('BAD_INPUT.notIds', { details });
  return id;
}

/** Returns a whole number as text without leading zeros, if it fits into the server's 64 bits. */
export function wholeNumber(value: unknown): string | undefined {
  const isScalar = typeof value === 'string' || typeof value === 'number';
  const text = isScalar ? String(value) : '';
  return text.length < 30 ? /^0*(\d{1,18})$/.exec(text)?.[1] : undefined;
}
