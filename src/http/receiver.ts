/** What a response says about the bytes in its body. */
export interface ResponseHead {
  status: number;
  /** Returns a header by its name in lower case; empty where there is none. */
  header: (name: string) => string;
}

/** Chooses where the body of a response goes; undefined for a body that is to be read as text. */
export type Receive = (head: ResponseHead) => Receiver | undefined;

/** Takes the body of a response, chunk by chunk. */
export interface Receiver {
  /** What to wait for before the next chunk. Chunks that arrive together with the head do not wait. */
  ready: Promise<void> | undefined;
  /** Takes the next chunk. @returns what to wait for before the one that follows. */
  take: (chunk: Buffer) => Promise<void> | undefined;
}
