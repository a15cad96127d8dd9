import { isList, type UpdateField } from '../../contract/update';
import type { Edit, Resolved } from './references';
import type { Scalar } from './field-edits';

/** What changes of a field, with the server's names of other items. Null stands for no value. */
export interface ChangedField {
  field: UpdateField;
  /** The new values; several if they are not the same for all items. */
  set: readonly Scalar[];
  add: readonly Scalar[];
  remove: readonly Scalar[];
}

/** Returns what changes of each field, each value once. */
export function changedFields(edits: readonly Edit[], names: Resolved['names']): ChangedField[] {
  const fields = new Map<UpdateField, Record<'set' | 'add' | 'remove', Set<Scalar>>>();
  for (const { field, set, add, remove, count } of edits.flatMap(({ fieldEdits }) => fieldEdits)) {
    const nameOf = (value: Scalar) => names[field]?.get(String(value)) ?? value;
    const all = fields.get(field) ?? { set: new Set(), add: new Set(), remove: new Set() };
    fields.set(field, all);
    const values: readonly Scalar[] = set === undefined ? [] : [set].flat();
    for (const value of values) all.set.add(nameOf(value));
    if (set !== undefined && isList(field) && values.length === 0) all.set.add(null);
    for (const value of add) all.add.add(nameOf(value));
    for (const value of remove) all.remove.add(nameOf(value));
    if (count > 0) all.add.add(count);
  }
  return [...fields].map(([field, { set, add, remove }]) => ({
    field,
    set: [...set],
    add: [...add],
    remove: [...remove],
  }));
}
