/** What an answer says of the bytes in its body. */
export interface ResponseHead {
  status: number;
  header: (name: string) => string;
}

/** Where the body of an answer goes; undefined for one that is to be read as text. */
export type Receive = (body: ResponseHead) => Receiver | undefined;

export interface Receiver {
  /** Is waited for before the first piece, but for those that come along with the head of the answer. */
  begun: Promise<void> | undefined;
  take: (piece: Buffer) => Promise<void> | undefined;
}
