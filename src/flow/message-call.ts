import type { NodeMessage } from 'node-red';
import type { Call, Turn } from '../server/call';

/** A message with what nodes of this package write on it beside the payload. */
export interface StashMessage extends NodeMessage {
  stash?: Record<string, unknown>;
  /** Of a message that is one of a sequence. */
  parts?: unknown;
}

/** One message and its business with the server, from its arrival to its end. */
export class MessageCall implements Call {
  readonly #controller = new AbortController();
  #patience: AbortController | undefined;
  readonly #changed: () => void;
  #begun = false;
  readonly signal = this.#controller.signal;
  readonly msg: StashMessage;
  /** Where its look-up is; undefined for what is no look-up. */
  turn: Turn | undefined;

  /** @param changed is told when its look-up is elsewhere. */
  constructor(msg: StashMessage, changed: () => void) {
    this.msg = msg;
    this.#changed = changed;
  }

  /** Whether its look-up has not begun. */
  get isWaiting(): boolean {
    return this.turn !== undefined && !this.#begun;
  }

  onTurn(turn: Turn): void {
    this.turn = turn;
    this.#begun ||= turn === 'asking';
    this.#changed();
  }

  get waiting(): AbortSignal {
    return this.#waiting.signal;
  }

  /** Ends it whatever it is doing. */
  end(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Ends it only where it waits for its turn. */
  stopWaiting(reason: unknown): void {
    this.#waiting.abort(reason);
  }

  /** Made only for those that may wait, which are look-ups: it is a part of what a message costs. */
  get #waiting(): AbortController {
    return (this.#patience ??= new AbortController());
  }
}
