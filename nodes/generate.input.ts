import { StashError } from '../src/errors';
import { type EvaluatedProperty, list } from '../src/flow';
import { isRecord } from '../src/guards';

/**
 * A typed input for ids of scenes, or null where its type is `everything`. Takes whole numbers, as text or not, objects with
 * such an `id`, the record of a scan that lists what is new, and that list alone. Only such a list may be empty. The `id` of
 * any other job's record is refused, because it is not a scene's.
 */
export function sceneIds(name: string, everything: string): EvaluatedProperty<readonly string[] | null> {
  return list(name, everything, (value, details) => {
    const { new: found = value, status } = isRecord(value) ? value : {};
    const { scenes } = isRecord(found) ? found : {};
    const { first } = isRecord(scenes) ? scenes : {};
    const scene = status === undefined ? value : undefined;
    return (Array.isArray(first) ? Array.from<unknown>(first) : [scene]).map((one) => {
      const id = idOf(one);
      if (id === undefined) throw new StashError('BAD_INPUT.notIds', { details });
      return id;
    });
  });
}

/** Returns a whole number as text without leading zeros, if it fits into the server's 64 bits. */
function idOf(value: unknown): string | undefined {
  const id = isRecord(value) ? value['id'] : value;
  const isScalar = typeof id === 'string' || typeof id === 'number';
  const text = isScalar ? String(id) : '';
  return text.length < 30 ? /^0*(\d{1,18})$/.exec(text)?.[1] : undefined;
}
