import { isDeepStrictEqual } from 'node:util';
import type { Node, NodeAPI, NodeStatus } from 'node-red';
import type { ErrorCase } from '../errors';
import type { Reachability } from '../server';
import { timing } from '../timing';
import { errorLabel, textOfReachability } from './words';

/** A status. `changes`: its text changes with time, so it is rendered again each second. */
export type ShownStatus = NodeStatus & { changes?: true };

/**
 * The status under a node, changed at most once a second, and only if it is another one. Of faster changes only the last one shows. Renders a status only
 * when it shows, because rendering all of them took a sixth of the time of a message.
 */
export class ThrottledStatus {
  readonly #node: Node;
  #next: (() => ShownStatus) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #shown: NodeStatus | undefined;

  constructor(node: Node) {
    this.#node = node;
  }

  /** Shows a status, now or when the second is over. @param status renders it. @throws what `status` throws now. */
  show(status: () => ShownStatus): void {
    if (this.#isClosed) return;
    if (this.#timer !== undefined) {
      this.#next = status;
      return;
    }
    const { changes, ...shown } = status();
    // A status node sends a message for each.
    if (!isDeepStrictEqual(shown, this.#shown)) this.#node.status(shown);
    this.#shown = shown;
    if (changes) this.#next = status;
    this.#timer = setTimeout(() => {
      const next = this.#next;
      this.#next = undefined;
      this.#timer = undefined;
      if (next) this.#showLater(next);
    }, timing.statusInterval);
    this.#timer.unref();
  }

  /** Logs an error of `status`, which would end Node-RED if a timer threw it. */
  #showLater(status: () => ShownStatus): void {
    try {
      this.show(status);
    } catch (error) {
      this.#node.error(error);
    }
  }

  /** Clears the status for good: a message that ends later must not show under the new node with the same id. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#next = undefined;
    this.#node.status({});
  }
}

/** Work is running. */
export const RUNNING = { fill: 'blue', shape: 'dot' } as const;
/** All work waits in a queue. */
export const WAITING = { fill: 'blue', shape: 'ring' } as const;
/** The last message succeeded. */
export const SUCCESS = { fill: 'green', shape: 'dot' } as const;
/** A result that is not a success, or work that makes no progress. */
export const WARNING = { fill: 'yellow', shape: 'ring' } as const;
const REACHABLE = { fill: 'green', shape: 'ring' } as const;
const FAILURE = { fill: 'red', shape: 'ring' } as const;

/** Returns the status for whether the server is reachable. */
export function statusOfReachability(RED: NodeAPI, reachability: Reachability): NodeStatus {
  return { ...(reachability.reachable ? REACHABLE : FAILURE), text: textOfReachability(RED, reachability) };
}

/** Returns the status for an error; without text for a bug in this package, which has no case. */
export function statusOfError(RED: NodeAPI, which: ErrorCase | undefined): NodeStatus {
  return { ...FAILURE, text: which === undefined ? '' : errorLabel(RED, which) };
}
