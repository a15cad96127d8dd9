import { after } from '../async';
import { StashError } from '../errors';
import { isRecord, isString } from '../guards';
import { timing } from '../timing';
import type { Outgoing, StashMessage } from './delivery';
import type { Handover } from './handover';
import type { MessageCall } from './message-call';

/** How many split nodes may be around a message that comes back. */
const MOST_LEVELS = 20;

/** Sends the messages with the results of one message, each once, also across deploys. */
export class Sequence {
  /** Whether the next result is requested when the last one comes back. */
  readonly isPaced: boolean;
  readonly #call: MessageCall;
  readonly #handover: Handover;
  /** Resumes the call after a message that has left; undefined unless it waits. */
  #resume: (() => void) | undefined;

  constructor(call: MessageCall, handover: Handover, isPaced: boolean) {
    this.#call = call;
    this.#handover = handover;
    this.isPaced = isPaced;
  }

  /**
   * Sends a message, again if a deploy closes the next nodes before they have it. After one that is not the last, it waits until
   * that comes back, if the sequence is paced.
   * @throws {StashError} TIMEOUT if it does not come back. @throws the reason of the call's `end` or `stopWaiting`.
   */
  async send(outgoing: Outgoing, isLast: boolean): Promise<void> {
    const call = this.#call;
    for (;;) {
      const delivery = await call.delivered();
      // A deploy may have ended it meanwhile.
      call.signal.throwIfAborted();
      delivery.sendInSequence(outgoing, isLast);
      call.messagesSent += 1;
      const returned = this.isPaced && !isLast ? this.#untilReturn() : undefined;
      returned?.catch(() => {});
      if (await this.#handover.hasArrived()) {
        if (returned) await returned;
        else if (!isLast) call.waiting.throwIfAborted();
        return;
      }
      this.#resume?.();
      call.messagesSent -= 1;
    }
  }

  /** Resumes the call if it waits for this message, counted from 0. Default: for any, because a deploy may have closed who had it. */
  onReturn(index: unknown = this.#call.messagesSent - 1): void {
    if (index === this.#call.messagesSent - 1) this.#resume?.();
  }

  async #untilReturn(): Promise<void> {
    const call = this.#call;
    const { waiting } = call;
    waiting.throwIfAborted();
    let stop = () => {};
    let cancelTimer = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        stop = () => reject(waiting.reason as Error);
        waiting.addEventListener('abort', stop);
        this.#resume = resolve;
        const { longestPause } = timing.pages;
        cancelTimer = after(longestPause, () =>
          reject(new StashError('TIMEOUT.page', { details: { minutes: longestPause / 60_000 } })),
        );
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

/** Returns the ID of a sequence that a node sends. @param random a text that is unique. */
export function sequenceId(node: string, random: string): string {
  return `${node}:${random}`;
}

/** Returns the position of a message in a sequence that a node has sent; undefined if it is in none. */
export function positionIn(msg: StashMessage, node: string): { id: string; index: unknown } | undefined {
  // A split node puts its own `parts` around those of the message.
  let { parts } = msg;
  for (let level = 0; isRecord(parts) && level < MOST_LEVELS; level++, parts = parts['parts']) {
    const { id, index } = parts;
    if (isString(id) && id.startsWith(sequenceId(node, ''))) return { id, index };
  }
  return undefined;
}
