import { timing } from '../../src/timing';

/** Shortens the package's own times in the suite that calls this, so that a trial takes a second at most. */
export function shortenTimes(): void {
  const usual = structuredClone(timing);
  before(() => {
    timing.statusInterval = 50;
    timing.stateAfterError = 200;
    timing.lostSave.first = 5;
    Object.assign(timing.newItems, { firstRetry: 50, longestRetry: 200, settle: 50 });
    Object.assign(timing.socket, { ping: 200, answer: 200 });
    Object.assign(timing.downloads, {
      linkLife: 300,
      longestIdle: 1_000,
      firstRetry: 10,
      longestRetry: 50,
      progress: 50,
    });
    Object.assign(timing.jobs, {
      pollInterval: 50,
      tick: 50,
      longestSilence: 300,
      linger: 50,
      firstRetry: 50,
      longestRetry: 200,
      firstReconnect: 50,
      longestReconnect: 200,
      shortestConnection: 20,
      logMargin: 20,
      firstFlush: 25,
      nextFlush: 100,
      longestLog: 1_000,
    });
    timing.picture = 200;
  });
  after(() => {
    Object.assign(timing, usual);
  });
}
