import { setImmediate } from 'node:timers/promises';
import type { Node, NodeAPI } from 'node-red';
import { shielded } from '../async';
import type { Config } from './inputs';
import { ThrottledStatus } from './node-status';

/** What lives on when a deploy makes its node anew. Its methods throw nothing. */
export interface Lasting {
  readonly handover: Handover;
  /** Begins, or goes on, in a node that Node-RED has made. What is sent before `resume` may be lost. */
  start: (config: Config) => void;
  /** Node-RED has closed the node: `start` follows in the next one, or `end`. */
  pause?: () => void;
  /** All nodes of the deploy are there. */
  resume: () => void;
  /** There is no next node. */
  end: () => void;
}

/** What a deploy does to a node, although Node-RED closes it and makes the next one with the same ID and type. */
export class Handover {
  readonly #RED: NodeAPI;
  /** The node that Node-RED has made last. */
  node!: Node;
  status!: ThrottledStatus;
  /** Whether the node is closed, and the next one has not taken its place. */
  isClosed = true;
  /** Whether there is no next node. */
  isGone = false;

  constructor(RED: NodeAPI) {
    this.#RED = RED;
  }

  /** Returns what lives in a node that Node-RED makes: what the closed one has left, otherwise what `create` returns. */
  static of<Life extends Lasting>(
    RED: NodeAPI,
    node: Node,
    config: Config,
    create: (handover: Handover) => Life,
  ): Life {
    const life = (take(RED, node) as Life | undefined) ?? create(new Handover(RED));
    const { handover } = life;
    const resume = () => life.resume();
    node.on('close', () => {
      starting.delete(resume);
      handover.isClosed = true;
      handover.status.close();
      life.pause?.();
      leave(RED, node, life, () => {
        handover.isGone = true;
        life.end();
      });
    });
    starting.add(resume);
    Object.assign(handover, { node, status: new ThrottledStatus(node), isClosed: false });
    life.start(config);
    return life;
  }

  /** Calls `act` now; during a deploy, also if that leaves this node open, once all nodes are there. */
  whenReady(act: () => void): void {
    if (isStopped) starting.add(act);
    else act();
  }

  /** Whether no deploy is under way. */
  get isReady(): boolean {
    return !isStopped;
  }

  /** Resolves when all nodes are there; the next deploy may have begun by then. */
  async ready(): Promise<void> {
    await new Promise<void>((resolve) => this.whenReady(resolve));
  }

  /**
   * Resolves when the next nodes have what the node has just sent to its first output. Node-RED delivers it in the next turn of the
   * event loop, and drops it if the nodes were closed before.
   * @returns false if it was dropped.
   */
  async hasArrived(): Promise<boolean> {
    const { settings, nodes } = this.#RED;
    const { runtimeSyncDelivery: isDelivered } = settings as { runtimeSyncDelivery?: unknown };
    // The types of Node-RED lack `wires`, and that there may be no such node.
    const { wires } = this.node as Node & { wires?: readonly (readonly string[])[] };
    const find = (id: string) => nodes.getNode(id) as Node | null | undefined;
    const receivers = wires?.[0]?.flatMap((id) => find(id) ?? []) ?? [];
    await setImmediate();
    if (this.isGone) return false;
    // A deploy of the sender alone leaves the receivers open.
    return Boolean(isDelivered) || receivers.length === 0 || receivers.some((one) => find(one.id) === one);
  }
}

/** What closed nodes have left, by type and ID. Module-level, because no node outlives the deploy. */
const left = new Map<string, { work: unknown; end: () => void }>();

/** What to call when the flows have started, or have stopped for good. */
const starting = new Set<() => void>();

/** Whether Node-RED has closed nodes and has not made the next ones: a message to one of them would be lost. */
let isStopped = false;

/** Those of Node-RED that are followed. */
const followed = new WeakSet<NodeAPI['events']>();

/** Leaves the work of a node that is closed. @param end ends it, if no node has taken it when the flows have started, or stopped. */
export function leave(RED: NodeAPI, node: Node, work: unknown, end: () => void): void {
  left.set(keyOf(node), { work, end });
}

/** Takes the work that the closed node with the same ID and type has left; undefined if there is none. */
export function take(RED: NodeAPI, node: Node): unknown {
  followFlows(RED);
  const found = left.get(keyOf(node));
  left.delete(keyOf(node));
  return found?.work;
}

/** Listens once for all nodes, because Node-RED warns of more than ten listeners. */
function followFlows({ events, log }: NodeAPI): void {
  if (followed.has(events)) return;
  followed.add(events);
  events.on('flows:stopping', () => {
    isStopped = true;
  });
  events.on('flows:started', finish);
  events.on(
    'runtime-event',
    ({ id, payload }: { id: string; payload?: { state?: string; deploy?: boolean } }) => {
      // A deploy stops the flows, too, and starts them again.
      if (id === 'runtime-state' && payload && payload.state !== 'start' && !payload.deploy) finish();
    },
  );

  function finish(): void {
    isStopped = false;
    const ends = [...left.values()].map(({ end }) => end);
    const acts = [...ends, ...starting];
    left.clear();
    starting.clear();
    for (const act of acts) {
      shielded(act, (line) => log.error(line));
    }
  }
}

function keyOf({ id, type }: Node): string {
  return `${type} ${id}`;
}
