import { setTimeout as wait } from 'node:timers/promises';
import type { ActivityView, ServerView } from '../../src/contract/activity';
import { helper } from '../support/runtime';
import { until } from '../support/waiting';

/** Between two polls, in milliseconds. */
const INTERVAL = 50;

/** A browser that shows the tab of the sidebar until it is closed. */
export class Viewer {
  readonly answers: ActivityView[] = [];
  /** The last answer as it came. */
  text = '';
  readonly #closed = new AbortController();
  readonly #polls = this.#poll();

  /** The IDs of the servers. */
  get servers(): string[] | undefined {
    return this.answers.at(-1)?.servers.map(({ id }) => id);
  }

  /** The last view of a server. */
  view(id = 'server1'): ServerView | undefined {
    return this.answers.at(-1)?.servers.find((server) => server.id === id);
  }

  /** Waits until a view of the server makes a condition true. */
  async until(condition: (view: ServerView) => boolean, id = 'server1'): Promise<ServerView> {
    const fits = () => {
      const view = this.view(id);
      return view !== undefined && condition(view);
    };
    await until(fits, () => `${String(condition)}\n${JSON.stringify(this.view(id))}`);
    return this.view(id) as ServerView;
  }

  /** Closes the tab. Resolves after its last poll. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#polls;
  }

  async #poll(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      const { text } = await helper.request().post('/stash-server/activity').send({}).expect(200);
      this.text = text;
      this.answers.push(JSON.parse(text) as ActivityView);
      await wait(INTERVAL);
    }
  }
}
