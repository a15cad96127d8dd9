import { shielded } from '../../async';
import type { ServerView } from '../../contract/activity';
import { StashError } from '../../errors';
import type { Reachability, Server } from '../../server';
import { timing } from '../../timing';
import { RecentErrors } from '../recent-errors';
import type { ServerNode } from '../server-node';
import { isSettled, viewOf, viewOfUnusable } from './server-view';

export interface ServerActivityOptions {
  node: ServerNode;
  /** Called with each new view, at most once a second. */
  onNews: (activity: ServerActivity) => void;
  /** Logs one line about a bug in this package. */
  log: (line: string) => void;
}

/** Follows the state of one deployed server, for those who look at it. */
export class ServerActivity {
  readonly node: ServerNode;
  readonly #options: ServerActivityOptions;
  readonly #errors: RecentErrors;
  readonly #makeView: () => ServerView;
  readonly #toEnd: (() => void)[] = [];
  #view: ServerView | undefined;
  /** The view as JSON, to recognise a new one. */
  #text = '';
  #shownAt: number | undefined;
  /** Until then, the first view waits for a response of the server. Later, it says that there is none yet. */
  readonly #firstViewDue = performance.now() + timing.activity.interval;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ServerActivityOptions) {
    const { node } = options;
    this.node = node;
    this.#options = options;
    this.#errors = RecentErrors.of(node.id);
    this.#toEnd.push(this.#errors.listen(this.#onChange));
    const opened = open(node);
    this.#makeView =
      opened instanceof StashError
        ? () => viewOfUnusable(node, opened, this.#errors.newest)
        : this.#follow(opened);
    this.#look();
  }

  /** The state of the server; undefined for a moment, until the server has responded or takes too long. */
  get view(): ServerView | undefined {
    return this.#view;
  }

  /** Stops following. */
  end(): void {
    clearTimeout(this.#timer);
    for (const end of this.#toEnd) end();
  }

  /** Follows a server. @returns a function that describes it. */
  #follow(server: Server): () => ServerView {
    let reachability: Reachability | undefined;
    const queue = server.watchQueue(this.#onChange);
    this.#toEnd.push(
      () => {
        queue.end();
      },
      server.onSites(this.#onChange),
      server.onReachability((now) => {
        reachability = now;
        this.#onChange();
      }),
    );
    return () => viewOf(this.node, { server, queue, reachability, errors: this.#errors.newest });
  }

  /** Looks soon, but not in the middle of a change. */
  readonly #onChange = (): void => {
    const due = this.#shownAt === undefined ? 0 : this.#shownAt + timing.activity.interval;
    this.#lookAt(due);
  };

  #lookAt(due: number): void {
    clearTimeout(this.#timer);
    const wait = Math.max(0, due - performance.now());
    this.#timer = setTimeout(() => {
      shielded(() => {
        this.#look();
      }, this.#options.log);
    }, wait).unref();
  }

  #look(): void {
    const now = performance.now();
    const view = this.#makeView();
    if (!this.#view && !isSettled(view) && now < this.#firstViewDue) {
      this.#lookAt(this.#firstViewDue);
      return;
    }
    this.#shownAt = now;
    const text = JSON.stringify(view);
    if (text === this.#text) return;
    this.#view = view;
    this.#text = text;
    this.#options.onNews(this);
  }
}

function open(node: ServerNode): Server | StashError {
  try {
    return node.connection();
  } catch (error) {
    if (error instanceof StashError) return error;
    throw error;
  }
}
