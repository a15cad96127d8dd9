export interface ResponseHead {
  status: number;
  /**
   * @param name in lower case.
   * @returns empty without such a header.
   */
  header: (name: string) => string;
}

/** Returns the receiver for the body of a response; undefined to read it as text. */
export type Receive = (head: ResponseHead) => Receiver | undefined;

/** Takes the body of a response, chunk by chunk. */
export interface Receiver {
  /** A promise to await before the next chunk. Chunks that arrive together with the head do not wait. */
  ready: Promise<void> | undefined;
  /** @returns a promise to await before the next chunk. */
  take: (chunk: Buffer) => Promise<void> | undefined;
}
