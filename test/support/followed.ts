import type { FakeStash } from '../fake-stash/fake-stash';
import { until } from './waiting';

/**
 * Waits until a node follows the jobs of a server: it has subscribed to jobs and log, and has asked for the jobs since. A job
 * that starts before that may have run already, for all it knows, so that it reports no start.
 */
export async function untilFollowed({ sockets, requests }: FakeStash): Promise<void> {
  const polls = () => requests.filter(({ operation }) => operation === 'jobQueue').length;
  await until(() => sockets.subscribed.length === 2 && polls() >= 2);
}
