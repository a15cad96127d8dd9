/** The status and headers of a response with a body. */
export interface ResponseHead {
  status: number;
  /** Returns a header by its name in lower case; empty where there is none. */
  header: (name: string) => string;
}

/** Returns the receiver for the body of a response; undefined to read it as text. */
export type Receive = (head: ResponseHead) => Receiver | undefined;

/** Takes the body of a response, chunk by chunk. */
export interface Receiver {
  /** A promise to await before the next chunk. Chunks that arrive together with the head do not wait. */
  ready: Promise<void> | undefined;
  /** Takes the next chunk. @returns a promise to await before the next one. */
  take: (chunk: Buffer) => Promise<void> | undefined;
}
