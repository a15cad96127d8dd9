import type { Refusal } from '../../contract/errors';
import { requestLines } from '../request';
import type { Line } from './activity';

/** Times in milliseconds. The first wait after a broken connection doubles with each further one. */
const FIRST_RETRY = 1_000;
const LONGEST_RETRY = 30_000;
/** A connection that ends sooner counts as broken: a proxy may end each one. */
const SHORTEST = 5_000;
/** The runtime sends a line at least every 20 seconds. */
const LONGEST_SILENCE = 60_000;

/** The state of the connection: `forbidden` to this user, `failed` because of a bug, or `refused` with the reason. */
export type ConnectionState = 'open' | 'broken' | 'forbidden' | 'failed' | { refused: Refusal };

interface Listeners {
  line: (line: Line) => void;
  /** Called with each change. */
  state: (state: ConnectionState) => void;
}

/** The connection to the runtime on which the state of the servers arrives. It reconnects while it is wanted. */
export class Connection {
  readonly #listeners: Listeners;
  #close: (() => void) | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #openedAt = 0;
  #heardAt = 0;

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
  }

  /** Connects, unless it is connected. */
  open(): void {
    clearTimeout(this.#retry);
    if (this.#close) return;
    this.#openedAt = this.#heardAt = performance.now();
    let isRefused = false as boolean;
    this.#close = requestLines<Line>({
      url: 'stash-server/activity',
      body: {},
      line: (line) => {
        this.#heardAt = performance.now();
        isRefused = 'case' in line || 'failed' in line;
        if ('case' in line) this.#listeners.state({ refused: line });
        else if ('failed' in line) this.#listeners.state('failed');
        else {
          this.#listeners.state('open');
          this.#listeners.line(line);
        }
      },
      end: (isWhole, status) => {
        this.#close = undefined;
        const isLong = performance.now() - this.#openedAt >= SHORTEST;
        if (isWhole && isLong && !isRefused) this.open();
        else {
          if (!isRefused) this.#listeners.state([401, 403].includes(status) ? 'forbidden' : 'broken');
          this.#reopenLater(isLong);
        }
      },
    });
  }

  /** Disconnects. */
  close(): void {
    clearTimeout(this.#retry);
    this.#close?.();
    this.#close = undefined;
    this.#failures = 0;
  }

  /** Reconnects if nothing has arrived for too long, as after this computer has slept. Call it now and then. */
  check(): void {
    if (!this.#close || performance.now() - this.#heardAt < LONGEST_SILENCE) return;
    this.#close();
    this.#close = undefined;
    this.#listeners.state('broken');
    this.#reopenLater(true);
  }

  #reopenLater(isLong: boolean): void {
    if (isLong) this.#failures = 0;
    const wait = Math.min(FIRST_RETRY * 2 ** this.#failures, LONGEST_RETRY);
    this.#failures += 1;
    this.#retry = setTimeout(() => {
      this.open();
    }, wait);
  }
}
