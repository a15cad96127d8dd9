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

/** Leaves the work of a node that is closed. @param end ends it, if no node has taken it when the flows have started, or stopped. */
export function leave(RED: NodeAPI, node: Node, work: unknown, end: () => void): void {
  left.set(keyOf(node), { work, end });
  listen(RED);
}

/** Takes the work that the closed node with the same id and type has left; undefined if there is none. */
export function take(node: Node): unknown {
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
    isListening = false;
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
