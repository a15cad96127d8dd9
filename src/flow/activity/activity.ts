import type { NodeAPI } from 'node-red';
import { StashError } from '../../errors';
import { timing } from '../../timing';
import type { WriteLine } from '../routes/route';
import type { ServerNode } from '../server-node';
import { deployedServers } from './deployed-servers';
import { ServerActivity } from './server-activity';
import { Viewer } from './viewer';

/** The most browsers that look at a time. */
const MOST_VIEWERS = 20;

/** Shows what the deployed servers do. Follows them only while a browser looks. */
export class Activity {
  readonly #RED: NodeAPI;
  readonly #viewers = new Set<Viewer>();
  #servers: ServerActivity[] = [];
  #stopped: NodeJS.Timeout | undefined;

  constructor(RED: NodeAPI) {
    this.#RED = RED;
  }

  /**
   * Sends the state of all servers, and each change. Resolves after a while, after which the browser asks again.
   * @throws {StashError} QUEUE_FULL if too many browsers look. @throws the reason of `gone`.
   */
  async show(write: WriteLine, gone: AbortSignal): Promise<void> {
    if (this.#viewers.size >= MOST_VIEWERS) throw new StashError('QUEUE_FULL.browsers');
    const viewer = new Viewer(write);
    this.#viewers.add(viewer);
    try {
      if (this.#viewers.size === 1) this.#begin();
      viewer.tellList(this.#servers);
      for (const server of this.#servers) viewer.tell(server);
      await viewer.run(gone);
    } finally {
      this.#viewers.delete(viewer);
      if (this.#viewers.size === 0) this.#end();
    }
  }

  #begin(): void {
    const { events } = this.#RED;
    events.on('flows:stopped', this.#onStopped);
    events.on('flows:started', this.#onDeployed);
    this.#refresh();
  }

  #end(): void {
    const { events } = this.#RED;
    events.off('flows:stopped', this.#onStopped);
    events.off('flows:started', this.#onDeployed);
    clearTimeout(this.#stopped);
    for (const server of this.#servers.splice(0)) server.end();
  }

  /** In a deploy, the flows start again at once. A user may also stop them. */
  readonly #onStopped = (): void => {
    clearTimeout(this.#stopped);
    this.#stopped = setTimeout(this.#onDeployed, timing.activity.restart).unref();
  };

  readonly #onDeployed = (): void => {
    clearTimeout(this.#stopped);
    const before = this.#servers;
    this.#refresh();
    for (const viewer of this.#viewers) {
      viewer.tellList(this.#servers);
      for (const server of this.#servers) if (!before.includes(server)) viewer.tell(server);
    }
  };

  /** Follows the servers that are deployed now. A deploy does not replace all of them. */
  #refresh(): void {
    const before = this.#servers;
    this.#servers = deployedServers().map(
      (node) => before.find((known) => known.node === node) ?? this.#follow(node),
    );
    for (const server of before) if (!this.#servers.includes(server)) server.end();
  }

  #follow(node: ServerNode): ServerActivity {
    return new ServerActivity({
      node,
      onNews: (activity) => {
        for (const viewer of this.#viewers) viewer.tell(activity);
      },
      log: (line) => {
        this.#RED.log.error(line);
      },
    });
  }
}
