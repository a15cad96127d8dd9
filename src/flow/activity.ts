import type { ActivityView, ServerView } from '../contract/activity';
import { StashError } from '../errors';
import type { Reachability, Server } from '../server';
import { timing } from '../timing';
import { RecentErrors } from './recent-errors';
import type { ServerNode } from './server-node';
import { viewOf, viewOfUnusable } from './server-view';

/** The deployed nodes by ID, in the order in which Node-RED started them. Module-level, as Node-RED has only one set of flows. */
const deployed = new Map<string, ServerNode>();

export function deployedServers(): ServerNode[] {
  return [...deployed.values()];
}

/** Lists a server as deployed, in place of the node with the same id. */
export function listAsDeployed(node: ServerNode): void {
  deployed.set(node.id, node);
}

/** Lists a server no longer, and discards its recent errors. */
export function listAsGone({ id }: ServerNode): void {
  deployed.delete(id);
  RecentErrors.drop(id);
}

interface Followed {
  readonly node: ServerNode;
  /** Resolves when its state is known, or takes too long. */
  readonly ready: Promise<void>;
  readonly view: () => ServerView;
  readonly end: () => void;
}

/** Describes the deployed servers. Follows them only while a browser polls. */
export class Activity {
  #followed: readonly Followed[] = [];
  #expiry: NodeJS.Timeout | undefined;

  async view(): Promise<ActivityView> {
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => this.#follow([]), timing.activity.expiry).unref();
    this.#follow(deployedServers());
    await Promise.all(this.#followed.map(({ ready }) => ready));
    return { now: Date.now(), servers: this.#followed.map(({ view }) => view()) };
  }

  /** Follows these servers and no others. A deploy does not replace all of them. */
  #follow(nodes: readonly ServerNode[]): void {
    const before = this.#followed;
    this.#followed = nodes.map((node) => before.find((one) => one.node === node) ?? follow(node));
    for (const one of before) if (!this.#followed.includes(one)) one.end();
  }
}

function follow(node: ServerNode): Followed {
  const errors = RecentErrors.of(node.id);
  let server: Server;
  try {
    server = node.connection();
  } catch (error) {
    if (!(error instanceof StashError)) throw error;
    return {
      node,
      ready: Promise.resolve(),
      view: () => viewOfUnusable(node, error, errors.newest),
      end: () => undefined,
    };
  }
  const queue = server.jobs.watchQueue();
  let reachability: Reachability | undefined;
  const unlisten = server.reachability.subscribe((now) => {
    reachability = now;
  });
  return {
    node,
    ready: queue.ready(AbortSignal.timeout(timing.activity.firstView)),
    view: () => viewOf(node, { server, queue, reachability, errors: errors.newest }),
    end: () => {
      queue.end();
      unlisten();
    },
  };
}
