import type { Node, NodeAPI, NodeStatus } from 'node-red';
import { timing } from '../timing';
import type { Reachability } from '../server';
import { textOfReachability } from './words';

/**
 * The status under a node, changed at most once a second; of changes that come faster the last is shown. A status is
 * made when it is shown: to look up the words of those passed over, too, took a sixth of what a message costs.
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

  /** What a timer's callback throws would end Node-RED. */
  #showLater(status: () => NodeStatus): void {
    try {
      this.show(status);
    } catch (error) {
      this.#node.error(error);
    }
  }

  /** Clears the status for good: what ends later must not show under the node that replaces this one. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#next = undefined;
    this.#node.status({});
  }
}

/** Whether the server can be reached. */
export function statusOfReachability(RED: NodeAPI, reach: Reachability): NodeStatus {
  return { fill: reach.reachable ? 'green' : 'red', shape: 'ring', text: textOfReachability(RED, reach) };
}

/** An error, with its label. */
export function redRing(text: string): NodeStatus {
  return { fill: 'red', shape: 'ring', text };
}
