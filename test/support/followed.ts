import type { FakeStash } from '../fake-stash/fake-stash';
import { until } from './waiting';

/**
 * Waits until a node follows the jobs of a server: it has subscribed to jobs and log, has asked for the jobs since, and has had a
 * line of log written. A job that starts before that may have run already, for all it knows, so that it reports no start or no
 * problems.
 */
export async function untilFollowed({ sockets, requests }: FakeStash): Promise<void> {
  const polls = () => requests.filter(({ operation }) => operation === 'jobQueue').length;
  await until(() => sockets.subscribed.length === 2 && polls() >= 2 && isFlushed(requests));
}

/** Whether the server has answered the query that makes it write a line of log. */
export function isFlushed(requests: FakeStash['requests']): boolean {
  return requests.some(
    ({ operation = '', endedAt }) => ['findTags', 'findScenes'].includes(operation) && endedAt < Infinity,
  );
}
