// The fake Stash of the release on the command line, in its own process. It reports its requests and the end of each job, and
// restarts on command.
import { setTimeout as sleep } from 'node:timers/promises';
import { FakeStash } from '../dist/test/fake-stash/fake-stash.js';
import { loseAnswer } from '../dist/test/fake-stash/faults.js';
import { now } from './processes.mjs';

const [, , release] = process.argv;
/** The difference between the clock of all processes and the fake server's times. */
const behind = now() - performance.now();

/** One entry for each start of the server, with the results of its jobs. */
const runs = [];
await start();

const orders = {
  hold: () => stash().jobs.hold(),
  release: ({ seconds }) => {
    stash().jobs.seconds = seconds;
    stash().jobs.release();
  },
  /** Lets the server know folders, as after a scan of them. */
  know: ({ folders }) => {
    for (const folder of folders) stash().library.folders.add(folder);
  },
  /** Adds files, with each of which a scan progresses. */
  arrive: ({ paths }) => {
    for (const path of paths) stash().arrive({ path });
  },
  count: () => ({ added: runs.at(-1).added, ended: runs.at(-1).ends.length }),
  /** Starts the next scan, but loses the response; then crashes, if `away` says for how long. */
  lose: ({ away }) => {
    const handle = async (...request) => {
      await loseAnswer(...request);
      if (away !== undefined) await orders.restart({ away, others: 0 });
    };
    stash().answerWith(handle, { field: 'metadataScan', times: 1 });
  },
  /** Stops for some milliseconds and restarts. Then another client immediately starts jobs. */
  restart: async ({ away, others }) => {
    const { port, jobs } = stash();
    await stash().stop();
    await sleep(away);
    await start(port);
    const backAt = now();
    stash().jobs.seconds = jobs.seconds;
    for (let left = others; left > 0; left -= 1) await scan();
    return { backAt };
  },
  tell: () => ({
    runs: runs.map(({ stash, ends, others }) => ({
      ends: ends.map((end) => ({ ...end, isAnothers: others.has(end.id) })),
      requests: stash.requests.map(({ operation, startedAt }) => ({ operation, at: startedAt + behind })),
      sockets: stash.sockets.attempts.map(({ at }) => ({ at: at + behind })),
    })),
  }),
};
process.on('message', ({ order, ...details }) => {
  Promise.resolve(orders[order](details)).then(
    (answer) => process.send(answer ?? {}),
    (error) => process.send({ error: error.message }),
  );
});
process.on('disconnect', () => process.exit());
process.send({ port: stash().port });

function stash() {
  return runs.at(-1).stash;
}

async function start(port) {
  const stash = await FakeStash.start({ release, ...(port && { port }) });
  const run = { stash, added: 0, ends: [], others: new Set() };
  runs.push(run);
  const listen = ({ type, job: { id, status, addTime: added } }) => {
    if (type === 'ADD') run.added += 1;
    if (type === 'REMOVE') run.ends.push({ id, added, status, at: now() });
  };
  stash.jobs.updates.listen(listen, new AbortController().signal);
}

/** Starts a job as another client does. */
async function scan() {
  const response = await fetch(`${stash().url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'mutation { metadataScan(input: {}) }' }),
  });
  const { data } = await response.json();
  runs.at(-1).others.add(data.metadataScan);
}
