interface Turn {
  place: number;
  start: () => void;
}

/** Who waits, and until when. */
interface Waiting {
  /** Calls with the same owner belong together: they keep the place that the first of them drew. */
  owner: object;
  /** Of several external sites the one that is asked. */
  source: string;
  /** End the wait, with their reason. */
  until: readonly AbortSignal[];
}

const paces = new Map<string, Pace>();

/**
 * The lines in front of the external sites that one server asks, and the pause that is kept in each of them: the
 * sites block callers that ask too often, and the server does not space its calls (interface document, part 4, rule 2).
 */
export class Pace {
  readonly #pauses = new Map<object, number>();
  readonly #lines = new Map<string, Line>();
  /** The pause of members who have left and may come back in a moment: that is what a redeploy looks like. */
  #departed = 0;

  /**
   * The pace of the server at an address. It is kept outside the config nodes, for the life of the process, so
   * that a redeploy grants no burst and config nodes with the same address share it.
   */
  static at(address: string): Pace {
    const pace = paces.get(address) ?? new Pace();
    paces.set(address, pace);
    return pace;
  }

  /** Sets the pause, in milliseconds, that `member` asks for; the largest of all members counts. */
  join(member: object, pause: number): void {
    this.#pauses.set(member, pause);
    this.#departed = 0;
    for (const line of this.#lines.values()) line.restart();
  }

  /** The pause of one who leaves still counts before the next call, unless somebody joins until then. */
  leave(member: object): void {
    this.#departed = Math.max(this.#departed, this.#pauses.get(member) ?? 0);
    this.#pauses.delete(member);
  }

  /**
   * Runs `task` when its turn has come.
   * @throws the reason of the first signal in `until` that is aborted before that.
   */
  async run<T>(waiting: Waiting, task: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(waiting.source) ?? new Line(this);
    this.#lines.set(waiting.source, line);
    return line.run(waiting, task);
  }

  /** In milliseconds. */
  get pause(): number {
    return Math.max(this.#departed, ...this.#pauses.values());
  }

  /** Is told of each call that begins. */
  called(): void {
    this.#departed = 0;
  }
}

/**
 * The line in front of one site: one call at a time, and the pause between the end of one and the start of the next.
 * Who asks several times keeps the place drawn with the first call, so a look-up that has begun is finished before the
 * next one begins.
 */
class Line {
  readonly #pace: Pace;
  readonly #places = new WeakMap<object, number>();
  #lastPlace = 0;
  #line: Turn[] = [];
  #busy = false;
  #endedAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  async run<T>(waiting: Waiting, task: () => Promise<T>): Promise<T> {
    await this.#turn(waiting);
    try {
      return await task();
    } finally {
      this.#busy = false;
      this.#endedAt = performance.now();
      // Not before the owner of this call could ask again, and so keep its place.
      setImmediate(() => {
        this.#next();
      });
    }
  }

  #turn({ owner, until }: Waiting): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#line = this.#line.filter((other) => other !== turn);
        this.restart();
        settle();
        reject(until.find(({ aborted }) => aborted)?.reason as Error);
      };
      const settle = () => {
        for (const signal of until) signal.removeEventListener('abort', leave);
      };
      const turn: Turn = {
        place: this.#placeOf(owner),
        start: () => {
          settle();
          resolve();
        },
      };
      if (until.some(({ aborted }) => aborted)) {
        leave();
        return;
      }
      for (const signal of until) signal.addEventListener('abort', leave, { once: true });
      const behind = this.#line.findIndex(({ place }) => place > turn.place);
      this.#line.splice(behind === -1 ? this.#line.length : behind, 0, turn);
      this.#next();
    });
  }

  #placeOf(owner: object): number {
    const place = this.#places.get(owner) ?? ++this.#lastPlace;
    this.#places.set(owner, place);
    return place;
  }

  /** Looks anew at who comes next, and when. */
  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#next();
  }

  #next(): void {
    if (this.#busy || this.#timer !== undefined || this.#line.length === 0) return;
    const wait = this.#endedAt + this.#pace.pause - performance.now();
    if (wait > 0) {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#next();
      }, Math.ceil(wait));
      return;
    }
    this.#busy = true;
    this.#pace.called();
    this.#line.shift()?.start();
  }
}
