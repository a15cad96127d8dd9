/** Keeps a plain value while Node-RED is not running. */
export interface ValueStore {
  /** Returns the last written value, of this process or an earlier one. Never rejects. */
  read: () => Promise<unknown>;
  /** Writes a plain value, which may be lost. Never throws. */
  write: (value: unknown) => void;
}

/** Keeps a value of a node. Its methods throw nothing. */
export interface PersistedState {
  /** Returns the value that was set last, also before a deploy or, with a persistent store, a restart. */
  read: () => Promise<unknown>;
  /** Holds a value until the process ends. */
  set: (value: object) => void;
  /** Writes the value to the persistent context store, if settings.js has one. */
  save: () => void;
}
