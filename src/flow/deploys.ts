import { setImmediate } from 'node:timers/promises';
import type { Node, NodeAPI } from 'node-red';
import { shielded } from '../async';

/**
 * What goes on after a deploy, although Node-RED makes each node anew: a node leaves its work when it is closed, and the next one
 * with the same id and type takes it. The key is that id and type. Module-level, because no node outlives the deploy.
 */
const left = new Map<string, { work: unknown; end: () => void }>();

/** What is called when the flows have started. */
const starting = new Set<() => void>();

let isListening = false;

/** Whether Node-RED has closed nodes and has not made the next ones: a message to one of them would be lost. */
let isStopped = false;
/** Those of Node-RED, once `isStopped` follows them. */
const followed = new WeakSet<NodeAPI['events']>();

/** Leaves the work of a node that is closed. @param end ends it, if no node has taken it when the flows have started, or stopped. */
export function leave(RED: NodeAPI, node: Node, work: unknown, end: () => void): void {
  left.set(keyOf(node), { work, end });
  listen(RED);
}

/** Takes the work that the closed node with the same id and type has left; undefined if there is none. */
export function take(RED: NodeAPI, node: Node): unknown {
  if (!followed.has(RED.events)) {
    followed.add(RED.events);
    RED.events.on('flows:stopping', () => {
      isStopped = true;
      listen(RED);
    });
  }
  const found = left.get(keyOf(node));
  left.delete(keyOf(node));
  return found?.work;
}

/** Calls `then` when all nodes of the deploy are there, unless this one is closed before: until then no message arrives. */
export function onFlowsStarted(RED: NodeAPI, node: Node, then: () => void): void {
  starting.add(then);
  // Not `once`: Node-RED would skip the listener after one that removes itself.
  node.on('close', () => {
    starting.delete(then);
  });
  listen(RED);
}

/**
 * Returns a promise that resolves when a deploy that is under way has made all nodes, or the flows have stopped for good;
 * undefined if none is under way.
 */
export function untilFlowsRun(RED: NodeAPI): Promise<void> | undefined {
  if (!isStopped) return undefined;
  listen(RED);
  return new Promise((resolve) => starting.add(resolve));
}

/**
 * Resolves when the next nodes have what a node has just sent to its first output. Node-RED delivers it in the next turn of the
 * event loop, and drops it if the nodes were closed before.
 * @returns false if it was dropped.
 */
export async function hasArrived(RED: NodeAPI, node: Node): Promise<boolean> {
  const { runtimeSyncDelivery: isDelivered } = RED.settings as { runtimeSyncDelivery?: unknown };
  // The types of Node-RED lack `wires`, and that there may be no such node.
  const { wires } = node as Node & { wires?: readonly (readonly string[])[] };
  const find = (id: string) => RED.nodes.getNode(id) as Node | null | undefined;
  const receivers = wires?.[0]?.flatMap((id) => find(id) ?? []) ?? [];
  await setImmediate();
  // A deploy of the sender alone leaves the receivers open.
  return Boolean(isDelivered) || receivers.length === 0 || receivers.some((one) => find(one.id) === one);
}

/** Listens once for all nodes, because Node-RED warns of more than ten listeners. */
function listen({ events, log }: NodeAPI): void {
  if (isListening) return;
  isListening = true;
  events.once('flows:started', finish);
  events.on('runtime-event', onRuntimeEvent);

  function onRuntimeEvent({ id, payload }: RuntimeEvent): void {
    // A deploy stops the flows, too, and starts them again.
    if (id === 'runtime-state' && payload && payload.state !== 'start' && !payload.deploy) finish();
  }

  function finish(): void {
    isListening = isStopped = false;
    events.off('flows:started', finish);
    events.off('runtime-event', onRuntimeEvent);
    const [ends, thens] = [[...left.values()], [...starting]];
    left.clear();
    starting.clear();
    for (const act of [...ends.map(({ end }) => end), ...thens]) {
      shielded(act, (line) => {
        log.error(line);
      });
    }
  }
}

/** An event of Node-RED for the editor. */
interface RuntimeEvent {
  id: string;
  payload?: { state?: string; deploy?: boolean };
}

function keyOf({ id, type }: Node): string {
  return `${type} ${id}`;
}
