import { Alarm, untilAborted } from '../../async';
import { timing } from '../../timing';
import type { WriteLine } from '../routes/route';

/** The most that one response sends, in UTF-16 units: the browser keeps all of it. It asks again. */
const MOST_SENT = 1_000_000;

/** A server whose state is shown. */
interface Shown {
  readonly node: { readonly id: string };
  /** Undefined until there is one. */
  readonly view: object | undefined;
}

/** Sends the state of all servers to one browser: a list of the servers, then each as often as it changes. */
export class Viewer {
  readonly #write: WriteLine;
  readonly #alarm = new Alarm();
  /** Those whose view the browser does not have. */
  readonly #news = new Set<Shown>();
  /** The IDs of all servers; undefined once the browser has them. */
  #list: string[] | undefined;

  constructor(write: WriteLine) {
    this.#write = write;
  }

  /** Sends a new list of servers. */
  tellList(list: readonly Shown[]): void {
    this.#list = list.map(({ node }) => node.id);
    for (const known of this.#news) if (!list.includes(known)) this.#news.delete(known);
    this.#alarm.wake();
  }

  /** Sends the view of a server, if there is one, as soon as the browser can take it. */
  tell(server: Shown): void {
    if (!server.view) return;
    this.#news.add(server);
    this.#alarm.wake();
  }

  /** Resolves when the response is long enough, in bytes or in time. @throws the reason of `gone`. */
  async run(gone: AbortSignal): Promise<void> {
    const limit = AbortSignal.timeout(timing.activity.longest);
    const ended = AbortSignal.any([gone, limit]);
    let sent = 0;
    let sentAt = performance.now();
    const send = async (line: object) => {
      sent += JSON.stringify(line).length;
      await untilAborted(this.#write(line), ended);
      sentAt = performance.now();
    };
    try {
      while (sent < MOST_SENT) {
        await this.#alarm.sleepUntil(() => (this.#hasNews ? 0 : sentAt + timing.silence), ended);
        await send(this.#next() ?? { alive: true });
      }
    } catch (error) {
      if (gone.aborted || !limit.aborted) throw error;
    }
  }

  get #hasNews(): boolean {
    return this.#list !== undefined || this.#news.size > 0;
  }

  /** Returns the next line; undefined if there is no news. */
  #next(): object | undefined {
    const servers = this.#list;
    this.#list = undefined;
    if (servers) return { servers };
    const [server] = this.#news;
    if (!server) return undefined;
    this.#news.delete(server);
    // With the time, because the clock of the browser may be another one.
    return { now: Date.now(), server: server.view };
  }
}
