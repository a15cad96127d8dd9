import { after } from '../async';
import { StashError } from '../errors';
import { isRecord, isString } from '../guards';
import { timing } from '../timing';
import type { Outgoing, StashMessage } from './delivery';
import type { Handover } from './handover';
import type { MessageCall } from './message-call';

/** How many split nodes may be around a part that comes back. */
const MOST_LEVELS = 20;

/** Sends the parts of one message's result, each once, also across deploys. */
export class Parts {
  /** Whether the next part is requested when the last one comes back. */
  readonly isPaced: boolean;
  readonly #call: MessageCall;
  readonly #handover: Handover;
  /** Resumes the call after a part that has left; undefined unless it waits. */
  #resume: (() => void) | undefined;

  constructor(call: MessageCall, handover: Handover, isPaced: boolean) {
    this.#call = call;
    this.#handover = handover;
    this.isPaced = isPaced;
  }

  /**
   * Sends a part, again if a deploy closes the next nodes before they have it. After a part that is not the last one, it waits until
   * that comes back, if the parts are paced.
   * @throws {StashError} TIMEOUT if it does not come back. @throws the reason of the call's `end` or `stopWaiting`.
   */
  async send(outgoing: Outgoing, isLast: boolean): Promise<void> {
    const call = this.#call;
    for (;;) {
      const delivery = await call.delivered();
      // A deploy may have ended it meanwhile.
      call.signal.throwIfAborted();
      delivery.sendPart(outgoing, isLast);
      call.partsSent += 1;
      const comesBack = this.isPaced && !isLast ? this.#untilBack() : undefined;
      comesBack?.catch(() => {});
      if (await this.#handover.hasArrived()) {
        if (comesBack) await comesBack;
        else if (!isLast) call.waiting.throwIfAborted();
        return;
      }
      this.#resume?.();
      call.partsSent -= 1;
    }
  }

  /** Resumes the call if it waits for this part, counted from 0. Default: for any, because a deploy may have closed who had it. */
  comesBack(index: unknown = this.#call.partsSent - 1): void {
    if (index === this.#call.partsSent - 1) this.#resume?.();
  }

  async #untilBack(): Promise<void> {
    const call = this.#call;
    const { waiting } = call;
    waiting.throwIfAborted();
    let stop = () => {};
    let cancelTimer = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        stop = () => {
          reject(waiting.reason as Error);
        };
        waiting.addEventListener('abort', stop);
        this.#resume = resolve;
        const { longestPause } = timing.pages;
        cancelTimer = after(longestPause, () => {
          reject(new StashError('TIMEOUT.page', { details: { minutes: longestPause / 60_000 } }));
        });
        call.isPaused = true;
      });
    } finally {
      this.#resume = undefined;
      call.isPaused = false;
      cancelTimer();
      waiting.removeEventListener('abort', stop);
    }
  }
}

/** Returns the ID of a sequence of parts that a node sends. @param random a part that is unique. */
export function sequenceId(node: string, random: string): string {
  return `${node}:${random}`;
}

/** Returns the place of a message among the parts that a node sends; undefined if it is none of them. */
export function partIn(msg: StashMessage, node: string): { id: string; index: unknown } | undefined {
  // A split node puts its own `parts` around those of the message.
  let { parts } = msg;
  for (let level = 0; isRecord(parts) && level < MOST_LEVELS; level++, parts = parts['parts']) {
    const { id, index } = parts;
    if (isString(id) && id.startsWith(sequenceId(node, ''))) return { id, index };
  }
  return undefined;
}
