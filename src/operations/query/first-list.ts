import { arrayOf, isRecord } from '../../guards';

/** A list of objects in a response. */
interface FoundList {
  items: readonly Readonly<Record<string, unknown>>[];
  /** How many there are in all, if the response says so. */
  count?: number;
}

const areRecords = arrayOf(isRecord);

/** Lists are no deeper than this in any response of Stash: `configuration.general.stashes`. */
const DEEPEST = 5;

/**
 * Returns the first list of objects in the data of a response, such as the scenes of `findScenes`; one without any objects only if
 * there is no other. Undefined if there is none: the tags of a scene are no list of their own, because a scene has texts.
 */
export function firstList(data: Readonly<Record<string, unknown>>): FoundList | undefined {
  const lists = Object.values(data).flatMap((value) => findLists(value));
  return lists.find(({ items }) => items.length > 0) ?? lists[0];
}

function findLists(value: unknown, owner: Readonly<Record<string, unknown>> = {}, depth = 1): FoundList[] {
  const { count } = owner;
  if (areRecords(value)) return [{ items: value, ...(typeof count === 'number' && { count }) }];
  if (!isRecord(value) || hasContent(value) || depth > DEEPEST) return [];
  return Object.values(value).flatMap((inner) => findLists(inner, value, depth + 1));
}

/** Whether an object says something itself. Around a list, Stash has only numbers. */
function hasContent(object: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(object).some(
    ([name, value]) => ['string', 'boolean'].includes(typeof value) && name !== '__typename',
  );
}
