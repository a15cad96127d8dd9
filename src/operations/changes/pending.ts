import type { Kind } from '../../contract/kinds';
import type { ChangeType } from './hooks';

/** What has happened to an item, and is not reported yet. */
export interface PendingChange {
  type: ChangeType;
  kind: Kind;
  id: string;
  /** What was set, as far as Stash tells. */
  fields: readonly string[];
  /** Whether Stash tells all of it. */
  isWhole: boolean;
}

/** What an item has gone through in the end, whatever the order of the lines. */
const RANK: readonly ChangeType[] = ['changed', 'created', 'removed'];

/** What has happened to items, one entry for each, in the order of what has happened last. */
export class PendingChanges {
  #changes = new Map<string, PendingChange>();

  get size(): number {
    return this.#changes.size;
  }

  /** Adds what has happened to an item to what has happened to it before. */
  add(change: PendingChange): void {
    const key = keyOf(change);
    const before = this.#changes.get(key);
    this.#changes.delete(key);
    this.#changes.set(key, {
      ...change,
      type: before && RANK.indexOf(before.type) > RANK.indexOf(change.type) ? before.type : change.type,
      fields: [...new Set([...(before?.fields ?? []), ...change.fields])],
      isWhole: change.isWhole && before?.isWhole !== false,
    });
  }

  /** Takes out the first ones. */
  take(most: number): PendingChange[] {
    const taken: PendingChange[] = [];
    for (const [key, change] of this.#changes) {
      if (taken.length === most) break;
      taken.push(change);
      this.#changes.delete(key);
    }
    return taken;
  }

  /** Puts back what was taken out, before what has happened since. */
  putBack(taken: readonly PendingChange[]): void {
    const later = this.#changes;
    this.#changes = new Map(taken.map((change) => [keyOf(change), change]));
    for (const change of later.values()) this.add(change);
  }
}

/** Identifies an item. */
export function keyOf({ kind, id }: Pick<PendingChange, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}
