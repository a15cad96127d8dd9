import { Pause } from '../../../src/jobs/pause';
import type { JobRecord } from '../../../src/records';
import type { FakeStash } from '../../fake-stash/fake-stash';
import { type Flow, shared } from '../../support/flow';
import { helper } from '../../support/runtime';
import { until } from '../../support/waiting';

export const PAUSED = shared('queue.paused');

/** What tests of a pause do, and see. The pause node is the idle node of the flow. */
export function usePausing(stash: () => FakeStash) {
  const pausing = () => Pause.of(stash().url);
  const watching = (count: number) => {
    helper.getNode('idle').receive({ stash: { watching: count } });
  };
  const pause = async () => {
    watching(1);
    await until(() => pausing().isOn);
  };
  const isShown = (flow: Flow, text: string) => flow.until(() => flow.statuses.at(-1)?.text === text);
  const runs = (flow: Flow) => flow.until(() => stash().jobs.queue?.[0]?.status === 'RUNNING');
  const requests = (field: string, of = stash()) =>
    of.requests.filter(({ operation }) => operation === field);
  const stops = () => requests('stopJob');
  return {
    pausing,
    watching,
    pause,
    isShown,
    requests,
    generations: () => requests('metadataGenerate'),
    stops,
    record: (msg: { payload?: unknown }) => msg.payload as JobRecord,
    /** Sends a message whose job runs until it is released. @returns its id. */
    sendAndRun: async (flow: Flow): Promise<string> => {
      stash().jobs.hold();
      const id = flow.send();
      await runs(flow);
      return id;
    },
    /** The same, of a message that leaves at once. */
    askAndRun: async (flow: Flow): Promise<void> => {
      stash().jobs.hold();
      await flow.ask();
      await runs(flow);
    },
    /** Lets a pause stop the running job, and returns once the job waits to be started again. */
    interrupt: async (flow: Flow): Promise<void> => {
      const before = stops().length;
      await pause();
      await flow.until(() => stops().length === before + 1 && stash().jobs.queue?.[0]?.status === 'STOPPING');
      stash().jobs.release();
      await isShown(flow, PAUSED);
      await flow.until(() => stash().jobs.queue === null);
    },
  };
}
