/** Keeps a plain value while Node-RED is not running. */
export interface ValueStore {
  /** Returns the last written value, of this process or an earlier one. Never rejects. */
  read: () => Promise<unknown>;
  /** Writes a plain value, which may be lost. Never throws. */
  write: (value: unknown) => void;
}
