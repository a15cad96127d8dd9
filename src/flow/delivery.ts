import type { Node, NodeAPI, NodeMessage } from 'node-red';

/** A message with the properties that nodes of this package write, besides `payload`. */
export interface StashMessage extends NodeMessage {
  /** Facts about the call. */
  stash?: Record<string, unknown>;
  /** The place in a sequence of messages, as the split node writes it. */
  parts?: unknown;
}

/** The messages for each output, in order; null for none. */
export type Outgoing = (NodeMessage | NodeMessage[] | null)[];
type Send = (msg: Outgoing) => void;

/** One message that Node-RED delivered, and the ways in which it leaves the node. */
export class Delivery {
  /** The message as it was delivered. */
  readonly received: StashMessage;
  /** The message itself; a copy of its properties if a function node has frozen it. */
  msg: StashMessage;
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #id: string | undefined;
  readonly #isOriginal: boolean;
  readonly #send: Send;
  readonly #done: (error?: Error) => void;
  #isUncopyable = false;

  /** @param received the message. @param send, done the functions that Node-RED delivered with it. */
  constructor(RED: NodeAPI, node: Node, received: StashMessage, send: Send, done: (error?: Error) => void) {
    this.#RED = RED;
    this.#node = node;
    this.#isOriginal = Object.isExtensible(received);
    this.received = received;
    this.msg = this.#isOriginal ? received : { ...received };
    this.#id = received._msgid;
    this.#send = send;
    this.#done = done;
  }

  /** Sends messages and ends the received one. What Node-RED cannot copy reaches one node, and no Complete node. */
  sendOn(outgoing: Outgoing): void {
    this.#trySend(outgoing);
    try {
      this.#done();
    } catch (error) {
      this.#logFailedCopy(error);
    }
  }

  /**
   * Sends a message of a sequence; the received one stays here until `drop`.
   * @throws if Node-RED cannot copy a message that is not the last one.
   */
  sendInSequence(outgoing: Outgoing, isLast: boolean): void {
    if (isLast) this.#trySend(outgoing);
    else this.#send(outgoing);
  }

  /** Whether a message that is sent to this output reaches a node. */
  isWired(output: number): boolean {
    // The types of Node-RED lack `wires`.
    const { wires } = this.#node as Node & { wires?: readonly (readonly string[])[] };
    return (wires?.[output]?.length ?? 0) > 0;
  }

  /** Sends a copy of the message with other content, unless Node-RED cannot copy it. The message stays here. */
  sendCopy(output: number, content: Pick<StashMessage, 'payload' | 'stash'>): void {
    if (this.#isUncopyable) return;
    try {
      // Without the payload, which is replaced and may be large.
      const copy = this.#RED.util.cloneMessage({ ...this.msg, payload: undefined });
      this.#send([...new Array<null>(output).fill(null), Object.assign(copy, content)]);
    } catch (error) {
      this.#isUncopyable = true;
      this.#logFailedCopy(error);
    }
  }

  /**
   * Ends the message with an error, which Catch nodes receive with `msg`.
   * @param stash what the node has written to the message.
   */
  fail(error: Error, stash: StashMessage['stash']): void {
    try {
      // `done` reports the message that was delivered.
      if (this.#isOriginal) this.#done(error);
      else this.#node.error(error, this.msg);
    } catch {
      // Node-RED cannot copy it.
      this.#node.error(error, { _msgid: this.#id, ...(stash && { stash }) });
    }
  }

  /** Ends the message without sending it on, or after the last one of its sequence, and without an error. */
  drop(): void {
    try {
      this.#done();
    } catch {
      // Node-RED cannot copy it for a Complete node. The message itself has no error.
    }
  }

  #trySend(outgoing: Outgoing): void {
    try {
      // Node-RED copies a message for each wire but the first, which it has reached.
      this.#send(outgoing);
    } catch (error) {
      this.#logFailedCopy(error);
    }
  }

  #logFailedCopy(cause: unknown): void {
    this.#node.error(new Error('Node-RED cannot copy the message for another node.', { cause }));
  }
}
