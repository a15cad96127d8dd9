import type { Node, NodeAPI, NodeStatus } from 'node-red';
import { timing } from '../timing';
import type { Code } from '../errors';
import type { Reachability } from '../server';
import { labelOf, textOfReachability } from './words';

/**
 * The status under a node, changed at most once a second; of faster changes only the last is shown. A status is made when
 * it is shown: looking up the words of the others too took a sixth of what a message costs.
 */
export class ThrottledStatus {
  readonly #node: Node;
  #next: (() => NodeStatus) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(node: Node) {
    this.#node = node;
  }

  show(status: () => NodeStatus): void {
    if (this.#isClosed) return;
    if (this.#timer !== undefined) {
      this.#next = status;
      return;
    }
    this.#node.status(status());
    this.#timer = setTimeout(() => {
      const next = this.#next;
      this.#next = undefined;
      this.#timer = undefined;
      if (next) this.#showLater(next);
    }, timing.statusInterval);
    this.#timer.unref();
  }

  /** An error thrown by a timer's callback would end Node-RED. */
  #showLater(status: () => NodeStatus): void {
    try {
      this.show(status);
    } catch (error) {
      this.#node.error(error);
    }
  }

  /** Clears the status for good: a message that ends later must not show under the node that replaces this one. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#next = undefined;
    this.#node.status({});
  }
}

/** Something is under way. */
export const RUNNING = { fill: 'blue', shape: 'dot' } as const;
/** Something waits in a queue. */
export const WAITING = { fill: 'blue', shape: 'ring' } as const;
export const SUCCESS = { fill: 'green', shape: 'dot' } as const;
/** Neither success nor error. */
export const WARNING = { fill: 'yellow', shape: 'ring' } as const;
const REACHABLE = { fill: 'green', shape: 'ring' } as const;
const FAILURE = { fill: 'red', shape: 'ring' } as const;

/** Shows whether the server can be reached. */
export function statusOfReachability(RED: NodeAPI, reachability: Reachability): NodeStatus {
  return { ...(reachability.reachable ? REACHABLE : FAILURE), text: textOfReachability(RED, reachability) };
}

/** Shows an error. One without a code is a fault of ours, for which there are no words. */
export function statusOfError(RED: NodeAPI, code: Code | undefined): NodeStatus {
  return { ...FAILURE, text: code === undefined ? '' : labelOf(RED, code) };
}
