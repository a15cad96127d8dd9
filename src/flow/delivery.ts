import { types } from 'node:util';
import type { Node, NodeAPI, NodeMessage } from 'node-red';
import type { StashMessage } from './message-call';

/** The messages for each output, in order; null for none. */
export type Outgoing = (NodeMessage | NodeMessage[] | null)[];
type Send = (msg: Outgoing) => void;

/**
 * One message that Node-RED delivered, and the ways in which it leaves the node. Function nodes may put anything on a
 * message: it may be frozen, and a property may throw when Node-RED reads it for a copy. Methods throw for such messages only
 * where documented.
 */
export class Delivery {
  /** The message itself, or a copy of its properties if `payload` or `stash` cannot be set. */
  readonly msg: StashMessage;
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #received: StashMessage;
  readonly #send: Send;
  readonly #done: (error?: Error) => void;
  /** The original `payload` and `stash`, which the node replaces. */
  readonly #original: Readonly<Record<string, unknown>>;

  /** @param received the message. @param send, done the functions that Node-RED delivered with it. */
  constructor(RED: NodeAPI, node: Node, received: StashMessage, send: Send, done: (error?: Error) => void) {
    this.#RED = RED;
    this.#node = node;
    this.#received = received;
    this.#send = send;
    this.#done = done;
    this.msg = isWritable(received) ? received : readableOf(received);
    const { msg } = this;
    this.#original = {
      ...('payload' in msg && { payload: msg.payload }),
      ...('stash' in msg && { stash: msg.stash }),
    };
  }

  /**
   * Sends messages and ends the received one.
   * @throws the error with which Node-RED failed to copy a message. Then nothing was sent, and `msg` is as it came.
   */
  sendOn(outgoing: Outgoing): void {
    try {
      const sent = this.#forWires(outgoing);
      // Before `send`: `done` throws if a Complete node cannot get a copy, and a sent message cannot be taken back.
      this.#done();
      this.#send(sent);
    } catch (error) {
      delete this.msg.payload;
      delete this.msg.stash;
      Object.assign(this.msg, this.#original);
      throw error;
    }
  }

  #forWires(outgoing: Outgoing): Outgoing {
    return outgoing.map((one, output) => (wiresOf(this.#node, output) > 1 ? this.#copied(one) : one));
  }

  /**
   * Copies messages for an output with several wires. Node-RED copies a message for each wire but the first, after the first
   * has left: a message that cannot be copied must fail here instead. Copies each message by itself, because `cloneMessage`
   * does not clone the `req` and `res` of a message.
   */
  #copied(one: Outgoing[number]): Outgoing[number] {
    const copy = (msg: NodeMessage) => this.#RED.util.cloneMessage(msg);
    return Array.isArray(one) ? one.map(copy) : one && copy(one);
  }

  /**
   * Sends messages of which others follow; the received one stays here.
   * @throws the error with which Node-RED failed to copy a message. Then nothing was sent.
   */
  sendPart(outgoing: Outgoing): void {
    this.#send(this.#forWires(outgoing));
  }

  /** Whether a message that is sent to this output reaches a node. */
  isHeard(output: number): boolean {
    return wiresOf(this.#node, output) > 0;
  }

  /** Sends a copy of the message with other content, without properties that cannot be copied. The message stays here. */
  sendCopy(output: number, content: Pick<StashMessage, 'payload' | 'stash'>): void {
    // Without the payload, which is replaced and may be large.
    const copy = copyableOf(this.#RED, { ...readableOf(this.msg), payload: undefined });
    this.#send([...new Array<null>(output).fill(null), Object.assign(copy, content)]);
  }

  /** Ends the message with an error. Catch nodes receive `msg`, without properties that Node-RED cannot copy. */
  fail(error: Error): void {
    try {
      // `done` reports the message that was delivered.
      if (this.msg === this.#received) this.#done(error);
      else this.#node.error(error, this.msg);
    } catch {
      this.#node.error(error, copyableOf(this.#RED, readableOf(this.msg)));
    }
  }

  /** Ends the message without sending it on and without an error. */
  drop(): void {
    try {
      this.#done();
    } catch {
      // A Complete node cannot get a copy. The message itself has no error.
    }
  }
}

/** Returns how many wires begin at an output. */
function wiresOf(node: Node, output: number): number {
  // The types of Node-RED lack `wires`.
  const { wires } = node as Node & { wires?: readonly (readonly string[])[] };
  return wires?.[output]?.length ?? 0;
}

/** Whether `payload` and `stash` can be set and removed. Always false for a proxy, which may do anything. */
function isWritable(msg: StashMessage): boolean {
  const names = ['payload', 'stash'];
  return !types.isProxy(msg) && Object.isExtensible(msg) && names.every((name) => isPlain(msg, name));
}

/** Whether a property, own or inherited, is missing or is data that can be set and removed. */
function isPlain(msg: object, name: string): boolean {
  for (let owner: object | null = msg; owner; owner = Object.getPrototypeOf(owner) as object | null) {
    const property = Object.getOwnPropertyDescriptor(owner, name);
    if (property) return property.writable === true && property.configurable === true;
  }
  return true;
}

/** Copies a message's properties, without those that cannot be copied. */
function copyableOf(RED: NodeAPI, properties: StashMessage): StashMessage {
  const copy: StashMessage = {};
  for (const [name, value] of Object.entries(properties)) {
    try {
      Object.assign(copy, RED.util.cloneMessage({ [name]: value }));
    } catch {
      // A getter in the value throws, or objects are nested too deep.
    }
  }
  return copy;
}

/** Returns a message's properties as a plain object, without those that cannot be read. */
function readableOf(msg: StashMessage): StashMessage {
  const plain: Record<string, unknown> = {};
  try {
    // An instance of a class may inherit its payload.
    const names = 'payload' in msg ? ['payload', ...Object.keys(msg)] : Object.keys(msg);
    for (const name of names) {
      try {
        plain[name] = (msg as Record<string, unknown>)[name];
      } catch {
        // The getter throws.
      }
    }
  } catch {
    // The proxy does not list its properties.
  }
  return plain;
}
