import { once } from 'node:events';
import { createServer, type IncomingMessage, request as post } from 'node:http';
import { portOf } from '../support/connect';
import { helper } from '../support/runtime';
import { until } from '../support/waiting';
import type { ServerView } from '../../src/contract/activity';

/** A line of the response. */
interface Line {
  servers?: string[];
  server?: ServerView;
  now?: number;
  alive?: true;
  case?: string;
}

/** A browser that looks at the tab of the sidebar. */
export class Viewer {
  readonly lines: (Line & { at: number })[] = [];
  /** The response as it came. */
  text = '';
  hasEnded = false;
  readonly #toEnd: () => void;

  private constructor(response: IncomingMessage, toEnd: () => void) {
    this.#toEnd = toEnd;
    response.setEncoding('utf8');
    let rest = '';
    response
      .on('data', (text: string) => {
        this.text += text;
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        const at = performance.now();
        this.lines.push(...lines.map((line) => ({ ...(JSON.parse(line) as Line), at })));
      })
      .once('close', () => {
        this.hasEnded = true;
      })
      // The viewer has left.
      .on('error', () => undefined);
  }

  /** Opens the tab. */
  static async open(): Promise<Viewer> {
    // Supertest gives no part of a response before its end.
    const server = createServer(helper._httpAdmin).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${portOf(server)}/stash-server/activity`;
    return await new Promise((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json' };
      const request = post(url, { agent: false, method: 'POST', headers }, (response) => {
        resolve(
          new Viewer(response, () => {
            request.destroy();
            server.close();
          }),
        );
      })
        .on('error', reject)
        .end('{}');
    });
  }

  /** The views of a server, in order. */
  views(id = 'server1'): ServerView[] {
    return this.lines.flatMap(({ server }) => (server?.id === id ? [server] : []));
  }

  /** The last view of a server. */
  view(id = 'server1'): ServerView | undefined {
    return this.views(id).at(-1);
  }

  /** The list of servers that was sent last. */
  get servers(): string[] | undefined {
    return this.lines.flatMap(({ servers }) => (servers ? [servers] : [])).at(-1);
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

  /** Closes the tab. */
  close(): void {
    this.#toEnd();
  }
}
