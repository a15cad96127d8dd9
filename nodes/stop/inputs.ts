import { StashError } from '../../src/errors';
import { type EvaluatedProperty, hasKind, JSON_TYPES, type Preset, typed, unlessType } from '../../src/flow';
import { isRecord } from '../../src/guards';
import type { JobReference } from '../../src/records';

/**
 * A typed input for one job, or null if its type is `everything`: an ID, or a record from an earlier node. Reads only the
 * properties of the record that identify the job.
 */
export function job(
  name: string,
  preset: Preset,
  everything: string,
): EvaluatedProperty<JobReference | null> {
  const given = typed(name, preset, [...JSON_TYPES, 'num'], (result, details) => {
    const { id, added } = isRecord(result) ? result : { id: result };
    // Items of the library have IDs, too.
    const isRecordOfJob = isRecord(result) && ('status' in result || 'added' in result);
    const isOther = isRecord(result) && Object.keys(result).length > 1 && !isRecordOfJob;
    if (isOther || hasKind(result)) throw new StashError('BAD_INPUT.notJob', { details });
    if (typeof id === 'string' && id.trim() === '') throw new StashError('BAD_INPUT.empty', { details });
    const isId = typeof id === 'string' || typeof id === 'number';
    if (isId ? !/^\d+$/.test(String(id).trim()) : id !== null) {
      throw new StashError('BAD_INPUT.notJob', { details });
    }
    return { id: isId ? String(id).trim() : null, ...(typeof added === 'string' && { added }) };
  });
  return unlessType(everything, { name, presetType: preset.type }, given);
}
