export interface Entry {
  value: string;
  label: string;
  /** A second line, in grey. */
  detail?: string;
  /** The heading above this entry and its neighbours with the same one. */
  group?: string;
  /** Loads its picture; undefined if it has none after all. An entry without this has no place for one. */
  picture?: LoadPicture;
  /** What else to do when it is chosen. Then people have to choose it in the list: to leave its name in the input is not enough. */
  onPick?: () => void;
}

/** Loads a picture until the signal is aborted. Never rejects. */
export type LoadPicture = (signal: AbortSignal) => Promise<Blob | undefined>;

/** The entries that fit a text. */
export interface FoundEntries {
  entries: readonly Entry[];
  /** How many more there are. */
  more: number;
  /** Why the others are unknown. */
  reason?: string;
  /** Whether the others are still on their way. The combobox is refreshed when they are there. */
  isPending?: boolean;
}

/** Where the entries of a combobox come from. Its promises never reject. */
export interface EntrySource {
  /** Called whenever the list opens, before anything is found. */
  prepare?(): void;
  /** Finds the entries that fit a text; for an empty one all, or the first of them. */
  find(text: string, signal: AbortSignal): Promise<FoundEntries>;
  /** Returns the entries of values that were chosen before, without those that are gone; undefined if that is unknown. */
  describe(values: readonly string[], signal: AbortSignal): Promise<readonly Entry[] | undefined>;
  /** Whether a value without an entry is not wrong for that. */
  takesOthers?: boolean;
  /** Returns the text for a value without an entry. */
  textOf(value: string): string;
  /** Returns the value that a typed text is or names; undefined if it is none. Absent if only entries can be chosen. */
  fromText?(text: string): string | undefined;
  /** Returns the entry for something new of this name; undefined if nothing new can be chosen. */
  newEntry?(name: string): Entry | undefined;
}

/** Returns the text of an entry outside of its list, where nothing else tells its group. */
export function textOfEntry({ label, group }: Entry): string {
  return group === undefined ? label : `${group}: ${label}`;
}
