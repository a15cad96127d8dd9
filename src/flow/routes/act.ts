import type { NodeAPI } from 'node-red';
import { StashError } from '../../errors';
import { addPostRoute } from './post';
import { respond } from './respond';

/** Does what a user has asked for. The browser gets the result as it is. @param signal aborted when it no longer waits. */
type Act = (body: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<object>;

/** The most requests at a time. */
const MOST_RUNNING = 20;

/** Adds the route `/stash-server/<name>` for a button of the sidebar. It requires the permission to change flows. */
export function addActRoute(RED: NodeAPI, name: string, act: Act): void {
  let running = 0;
  addPostRoute(RED, name, 'write', (body, response) => {
    respond(RED, response, async (signal) => {
      if (running >= MOST_RUNNING) throw new StashError('QUEUE_FULL.tests');
      running += 1;
      try {
        return await act(body, signal);
      } finally {
        running -= 1;
      }
    });
  });
}
