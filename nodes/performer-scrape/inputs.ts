import { StashError } from '../../src/errors';
import { type EvaluatedProperty, NAME_TYPES, type Preset, trimmed, typed } from '../../src/flow';
import { isRecord } from '../../src/guards';
import type { WantedPerformer } from '../../src/operations/performers';

const TYPES = [...NAME_TYPES, 'json'];

/**
 * A typed input for one performer: a name, a candidate from an earlier node, or a list of exactly one of them. Reads only the
 * name, the address and the score of a candidate.
 */
export function performer(name: string, preset: Preset): EvaluatedProperty<WantedPerformer> {
  return typed(name, preset, TYPES, (result, details) => {
    if (Array.isArray(result) && result.length > 1) {
      throw new StashError('BAD_INPUT.tooMany', { details: { ...details, count: result.length } });
    }
    const value: unknown = Array.isArray(result) ? result[0] : result;
    if (value === undefined || value === null) throw new StashError('BAD_INPUT.empty', { details });
    if (typeof value === 'string') return trimmed(value, details);
    if (!isRecord(value)) throw new StashError('BAD_INPUT.notPerformer', { details });
    const { name, url, score } = value;
    if (typeof name !== 'string') throw new StashError('BAD_INPUT.notPerformer', { details });
    const address = typeof url === 'string' ? url.trim() : '';
    return {
      name: trimmed(name, details),
      ...(address !== '' && { url: address }),
      ...(typeof score === 'number' && { score }),
    };
  });
}
