import { StashError } from '../src/errors';
import { type EvaluatedProperty, list } from '../src/flow';
import { isRecord } from '../src/guards';

/**
 * A typed input for IDs of scenes; null if its type is `everything`. Accepts whole numbers, also as text, objects with such an
 * `id`, the record of a scan with its list of new scenes, and that list alone. Only that list may be empty. Rejects the `id`
 * of any other job's record, because it is not a scene's.
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
